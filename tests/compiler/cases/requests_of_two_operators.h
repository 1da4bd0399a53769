// Requests by forms of operator new that the program leaves to the library, of large objects too, and what
// gives them back.
#include <algorithm>
#include <cstdio>
#include <new>
#include <vector>

extern std::size_t living;

struct pair {
    long key, value;
};

int main(int words, char**) {
    const std::size_t count = 40000 * static_cast<std::size_t>(words);
    char* text = new (std::nothrow) char[count];
    for (std::size_t i = 0; i < count; ++i) {
        text[i] = static_cast<char>(i * 7);
    }
    unsigned long sum = 0;
    for (std::size_t i = count; i-- > 0;) {
        sum = sum * 31 + static_cast<unsigned char>(text[i]);
    }
    delete[] text;
    std::vector<pair> pairs;
    for (long i = 0; i < 5000; ++i) {
        pairs.push_back({i * 7919 % 5003, i});
    }
    std::stable_sort(pairs.begin(), pairs.end(), [](const pair& a, const pair& b) { return a.key < b.key; });
    for (const pair& each : pairs) {
        sum = sum * 31 + static_cast<unsigned long>(each.value);
    }
    std::printf("%lu %d\n", sum, living != 0);
    return 0;
}
