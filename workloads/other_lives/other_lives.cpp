// other_lives HOW COUNT: asks COUNT times at eight call sites, through a function or not. HOW is what a plan
// is learned on, `in_turn`, or what it does not expect: `at_random`, other sizes that die in another order,
// or `few_stay`, the same sizes, of which one in sixty-four lives on.
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

namespace {

constexpr size_t sites = 8;
constexpr size_t living = 512;

#define ONE_SITE(number, bytes)                           \
    case number: {                                        \
        char* object = static_cast<char*>(malloc(bytes)); \
        *object = number;                                 \
        return object;                                    \
    }

[[gnu::noinline]] char* allocate(size_t site, size_t bytes) {
    switch (site) {
        ONE_SITE(0, bytes)
        ONE_SITE(1, bytes)
        ONE_SITE(2, bytes)
        ONE_SITE(3, bytes)
        ONE_SITE(4, bytes)
        ONE_SITE(5, bytes)
        ONE_SITE(6, bytes)
        default:
            ONE_SITE(7, bytes)
    }
    return nullptr;
}

[[gnu::noinline]] char* through(size_t site, size_t bytes) {
    char* object = allocate(site, bytes);
    __asm__ volatile("" : : "r"(object) : "memory");
    return object;
}

// What a program does with an object.
[[gnu::noinline]] uint64_t use(const char* object, uint64_t sum) {
    for (int i = 0; i < 200; ++i) {
        sum = sum * 6364136223846793005u + static_cast<unsigned char>(*object);
    }
    return sum;
}

size_t bytes_at(size_t site) {
    return 24 + 16 * site;
}

// Those of the first two sites are used together.
[[gnu::noinline]] uint64_t use_pairs(char* const (&objects)[living], uint64_t sum) {
    for (int round = 0; round < 4; ++round) {
        for (size_t i = 0; i < living; i += sites) {
            sum += static_cast<unsigned char>(*objects[i]) + static_cast<unsigned char>(*objects[i + 1]);
        }
    }
    return sum;
}

uint64_t in_turn(size_t count) {
    char* objects[living] = {};
    uint64_t sum = 1;
    for (size_t i = 0; i < count; ++i) {
        char*& object = objects[i % living];
        free(object);
        object = through(i % sites, bytes_at(i % sites));
        sum = use(object, sum);
        if (i % living == living - 1) {
            sum = use_pairs(objects, sum);
        }
    }
    return sum;
}

uint64_t at_random(size_t count) {
    char* objects[living] = {};
    uint64_t sum = 1;
    for (size_t i = 0; i < count; ++i) {
        const uint64_t random = (i * 2654435761u) >> 7;
        char*& object = objects[random % living];
        free(object);
        object = through(random / living % sites, 1 + random / living / sites % 400);
        sum = use(object, sum);
    }
    return sum;
}

uint64_t few_stay(size_t count) {
    char** kept = static_cast<char**>(calloc(count / 64 + 1, sizeof *kept));
    uint64_t sum = 1;
    for (size_t i = 0; i < count; ++i) {
        char* object = through(i % sites, bytes_at(i % sites));
        sum = use(object, sum);
        if (i % 64 == 63) {
            kept[i / 64] = object;
        } else {
            free(object);
        }
    }
    // NOLINTNEXTLINE(clang-analyzer-unix.Malloc): what stays lives until the end.
    return sum + (kept[0] != nullptr ? static_cast<uint64_t>(kept[0][0]) : 0);
}

}  // namespace

int main(int, char** arguments) {
    const size_t count = strtoul(arguments[2], nullptr, 10);
    const uint64_t sum = *arguments[1] == 'i'   ? in_turn(count)
                         : *arguments[1] == 'a' ? at_random(count)
                                                : few_stay(count);
    return sum == 0;
}
