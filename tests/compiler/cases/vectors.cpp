// A std::vector of structures, which is an array that grows: its lengths are distances between its pointers.
// proves: 24 split
#include <cstdio>
#include <vector>

struct item {
    double weight;
    long key;
    int count;
    short kind;
};

static volatile int wanted = 1000;

int main() {
    std::vector<item> items;
    for (int i = 0; i < wanted; ++i) {
        items.push_back({i * 0.5, i * 7 % 31, i, static_cast<short>(i % 5)});
    }
    long sum = 0;
    for (const item& at : items) {
        sum = sum * 31 + at.key;
    }
    for (std::size_t i = 0; i < items.size(); i += 3) {
        items[i].count += 2;
        sum += items[i].kind;
    }
    std::swap(items[3], items[5]);
    for (const item& at : items) {
        sum = sum * 31 + at.count + static_cast<long>(at.weight);
    }
    while (items.size() > 10) {
        items.pop_back();
    }
    for (const item& at : items) {
        sum = sum * 31 + at.count + static_cast<long>(at.weight);
    }
    std::printf("%ld\n", sum);
    return 0;
}
