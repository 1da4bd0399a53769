// Two pairs of lists, each pair gone through together. With an argument more, each place that asks for their
// cells asks for sizes that no place has room for, and says how many objects were smaller than asked for.
#include <malloc.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { cells = 200, rounds = 40 };

#define PLACE(name)                                             \
    __attribute__((noinline)) static void* name(size_t bytes) { \
        void* volatile object = malloc(bytes);                  \
        return object;                                          \
    }
PLACE(first)
PLACE(second)
PLACE(third)
PLACE(fourth)

static void* (*const places[])(size_t) = {first, second, third, fourth};
static const size_t sizes[] = {40, 56, 72, 88};
static unsigned char* lists[4][cells];

static unsigned long walk(int pair) {
    unsigned long sum = 0;
    for (int i = 0; i < cells; ++i) {
        sum += *lists[pair][i] + *lists[pair + 1][i];
    }
    return sum;
}

static int too_small(size_t bytes) {
    int count = 0;
    for (int place = 0; place < 4; ++place) {
        void* object = places[place](bytes);
        count += object != NULL && malloc_usable_size(object) < bytes;
        free(object);
    }
    return count;
}

int main(int count, char** arguments) {
    (void)arguments;
    unsigned long sum = 0;
    for (int round = 0; round < rounds; ++round) {
        for (int i = 0; i < cells; ++i) {
            // In an order that puts the pairs apart from each other.
            for (int list = 0; list < 4; ++list) {
                const int place = list * 2 % 4 + list / 2;
                free(lists[place][i]);
                lists[place][i] = places[place](sizes[place]);
                *lists[place][i] = 1;
            }
        }
        for (int again = 0; again < 8; ++again) {
            sum += walk(0);
        }
        for (int again = 0; again < 8; ++again) {
            sum += walk(2);
        }
    }
    int wrong = 0;
    for (size_t less = 1; count > 1 && less <= 8; ++less) {
        wrong += too_small(0x80000000 - less) + too_small(SIZE_MAX - less + 1);
    }
    printf("%lu %d\n", sum, wrong);
}
