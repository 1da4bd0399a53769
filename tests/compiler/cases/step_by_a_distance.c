// In an array, a step that is as far as it is between two fields of another array's elements.
// shows: steps_by_other_distance
// proves: 32 pool  reason: a pointer to it steps as far as others are apart
#include <stdio.h>
#include <stdlib.h>

struct one {
    long a, b, c, d;
};

struct other {
    long x, y, z, w;
};

static volatile int wanted = 50;

__attribute__((noinline)) static struct other* at(struct other* others, int i) {
    return &others[i];
}

__attribute__((noinline)) static long* y_of(struct other* others, int i) {
    return &others[i].y;
}

int main(void) {
    const int count = wanted;
    struct one* ones = calloc((size_t)count, sizeof *ones);
    struct other* others = calloc((size_t)count, sizeof *others);
    for (int i = 0; i < count; ++i) {
        ones[i] = (struct one){i, 2 * i, 3 * i, 5 * i};
        *at(others, i) = (struct other){i, 7 * i, 1, i};
    }
    long sum = 0;
    for (int i = 0; i + 1 < count; ++i) {
        const long far = (char*)y_of(others, i) - (char*)at(others, 0);
        if (far > 16) {
            sum = sum * 31 + *(long*)((char*)ones + far);
        }
    }
    for (int i = 0; i < count; ++i) {
        sum = sum * 31 + ones[i].a + ones[i].b * 3 + ones[i].c * 5 + ones[i].d;
        sum = sum * 31 + others[i].x + others[i].y + others[i].z + others[i].w;
    }
    printf("%ld\n", sum);
    free(ones);
    free(others);
    return 0;
}
