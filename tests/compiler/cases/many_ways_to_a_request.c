// A request whose size comes over very many ways: each level calls the one below it from sixteen places.
// proves: 16 split
#include <stdio.h>
#include <stdlib.h>

struct record {
    long wide;
    int narrow, other;
};

static volatile int kind;

__attribute__((noinline)) static struct record* make_0(long count) {
    struct record* all = malloc((size_t)count * sizeof *all);
    for (long i = 0; i < count; ++i) {
        all[i] = (struct record){0, (int)i, 1};
    }
    return all;
}

static int wanted(int way) {
    return kind == way;
}

#define AGAIN(below, way) (free(all), all = below(count + (way)))
#define SOMETIMES(below, way) (wanted(way) ? (void)AGAIN(below, way) : (void)0)
#define FIVE(below, way)                                                             \
    SOMETIMES(below, way), SOMETIMES(below, (way) + 1), SOMETIMES(below, (way) + 2), \
        SOMETIMES(below, (way) + 3), SOMETIMES(below, (way) + 4)
#define LEVEL(name, below)                                             \
    __attribute__((noinline)) static struct record* name(long count) { \
        struct record* all = below(count + 99);                        \
        FIVE(below, 1), FIVE(below, 6), FIVE(below, 11);               \
        printf("%d\n", all[1].narrow);                                 \
        return all;                                                    \
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
