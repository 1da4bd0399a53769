// Elements of 40 bytes in an inner array: only every second one is aligned to 16, wherever it begins.
// proves: 176 split
#include <stdio.h>
#include <stdlib.h>

struct part {
    long values[5];
};
struct whole {
    long first;
    struct part parts[4];
    long last;
};

__attribute__((noinline)) static void clear(struct whole* whole, unsigned number) {
    whole->parts[number & 3] = (struct part){{0}};
}
__attribute__((noinline)) static void copy(struct whole* to, unsigned number, const struct whole* from) {
    to->parts[number & 3] = from->parts[(number + 1) & 3];
}

static struct whole* make(long value) {
    struct whole* whole = malloc(sizeof *whole);
    whole->first = whole->last = value;
    for (unsigned i = 0; i < 4; ++i) {
        clear(whole, i);
        whole->parts[i].values[i] = value;
    }
    return whole;
}

int main(void) {
    long sum = 0;
    for (long i = 0; i < 50; ++i) {
        struct whole *one = make(i), *other = make(2 * i);
        for (unsigned number = 0; number < 4; ++number) {
            copy(one, number, other);
            sum = 3 * sum + one->parts[number].values[(number + 1) & 3] + one->first + one->last;
        }
        free(one);
        free(other);
    }
    printf("%ld\n", sum);
    return 0;
}
