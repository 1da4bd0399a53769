// Structures aligned to 64 bytes: who asks for that means whole lines, and gets them.
// proves: 64 pool  reason: pools do not replace
#include <cstdint>
#include <cstdio>

struct alignas(64) counter {
    counter* next;
    long hits;
    int owner;
};

static counter* all;

int main() {
    long sum = 0;
    for (int i = 0; i < 100; ++i) {
        counter* made = new counter{all, i, 3 * i};
        sum += reinterpret_cast<std::uintptr_t>(made) % 64 != 0;
        all = made;
    }
    while (all != nullptr) {
        counter* gone = all;
        all = gone->next;
        sum = sum * 31 + gone->hits + gone->owner;
        delete gone;
    }
    std::printf("%ld\n", sum);
    return 0;
}
