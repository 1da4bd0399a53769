// A request whose size comes over very many ways: each level calls the one below it from sixteen places.
// proves: 16 split
#include <stdio.h>
#include <stdlib.h>

struct record {
    long wide;
    int narrow, other;
};

static volatile int kind;

__attribute__((noinline)) static struct record* make_0(unsigned long count) {
    struct record* all = malloc(count * sizeof *all);
    for (unsigned long i = 0; i < count; ++i) {
        all[i] = (struct record){0, (int)i, 1};
    }
    return all;
}

#define SOMETIMES(below, number)       \
    if (kind == (number)) {            \
        free(all);                     \
        all = below(count + (number)); \
    }
#define LEVEL(name, below)                                                                                  \
    __attribute__((noinline)) static struct record* name(unsigned long count) {                             \
        struct record* all = below(count + 99);                                                             \
        SOMETIMES(below, 1)                                                                                 \
        SOMETIMES(below, 2)                                                                                 \
        SOMETIMES(below, 3) SOMETIMES(below, 4) SOMETIMES(below, 5) SOMETIMES(below, 6) SOMETIMES(below, 7) \
            SOMETIMES(below, 8) SOMETIMES(below, 9) SOMETIMES(below, 10) SOMETIMES(below, 11)               \
                SOMETIMES(below, 12) SOMETIMES(below, 13) SOMETIMES(below, 14) SOMETIMES(below, 15)         \
                    printf("%d\n", all[1].narrow);                                                          \
        return all;                                                                                         \
    }
LEVEL(make_1, make_0)
LEVEL(make_2, make_1)
LEVEL(make_3, make_2)
LEVEL(make_4, make_3)
LEVEL(make_5, make_4)
LEVEL(make_6, make_5)
LEVEL(make_7, make_6)
LEVEL(make_8, make_7)

int main(void) {
    struct record* all = make_8(3);
    long sum = 0;
    for (int i = 0; i < 500; ++i) {
        sum += all[i].narrow;
    }
    printf("%ld\n", sum);
    free(all);
}
