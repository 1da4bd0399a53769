// mixed_sizes HOW ROUNDS THREADS: each thread has 1000 objects of mixed sizes, and replaces one after
// another, ROUNDS times. HOW says by which functions.
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <new>
#include <thread>
#include <vector>

namespace {

constexpr size_t living = 1000;

// Half of them up to 64 bytes, half of the rest up to 128, and so on, up to 16 KiB.
size_t bytes_of(uint64_t random) {
    const int doublings = __builtin_ctzll(random | 256);
    return 1 + (random >> 16) % (size_t{64} << doublings);
}

void* allocate(const char* how, size_t bytes) {
    switch (*how) {
        case 'n':
            return operator new(bytes);
        case 'c':
            return calloc(1, bytes);
        case 'a':
            return aligned_alloc(64, (bytes + 63) / 64 * 64);
        default:
            return malloc(bytes);
    }
}

void replace(const char* how, char*& object, size_t bytes) {
    if (*how == 'r') {
        object = static_cast<char*>(realloc(object, bytes));
    } else if (*how == 'n') {
        operator delete(object);
        object = static_cast<char*>(allocate(how, bytes));
    } else {
        free(object);
        object = static_cast<char*>(allocate(how, bytes));
    }
    *object = 1;
}

void run(const char* how, unsigned long rounds, uint64_t seed) {
    char* objects[living] = {};
    for (unsigned long i = 0; i < rounds; ++i) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        replace(how, objects[(seed >> 48) % living], bytes_of(seed >> 8));
    }
    for (char* object : objects) {
        *how == 'n' ? operator delete(object) : free(object);
    }
}

}  // namespace

int main(int, char** arguments) {
    const unsigned long rounds = strtoul(arguments[2], nullptr, 10);
    std::vector<std::thread> others;
    for (int i = 1; i < atoi(arguments[3]); ++i) {
        others.emplace_back(run, arguments[1], rounds, i);
    }
    run(arguments[1], rounds, 0);
    for (std::thread& other : others) {
        other.join();
    }
}
