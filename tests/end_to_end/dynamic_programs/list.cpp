// A list of the C++ library's: one call of operator new.
#include <cstdio>
#include <list>

int main() {
    long sum = 0;
    for (int round = 0; round < 5; ++round) {
        std::list<long> list;
        for (long i = 0; i < 20000; ++i) list.push_back(i ^ sum);
        for (const long value : list) sum += value;
    }
    std::printf("%ld\n", sum);
}
