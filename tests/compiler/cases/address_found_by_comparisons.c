// An address is compared with numbers until one of them is the same: none of its bits goes into that one.
// proves: 16 no  reason: a calculated address may lead to it
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

struct record {
    long first, second;
};

__attribute__((noinline)) static struct record* found(struct record* wanted) {
    uintptr_t least = 0;
    for (int bit = 47; bit >= 0; --bit) {
        const uintptr_t tried = least | (uintptr_t)1 << bit;
        if ((uintptr_t)wanted >= tried) {
            least = tried;
        }
    }
    return (struct record*)least;
}

int main(void) {
    unsigned long sum = 0;
    for (long i = 0; i < 20; ++i) {
        struct record* record = malloc(sizeof *record);
        record->first = i;
        record->second = 5 * i;
        struct record* again = found(record);
        sum = sum * 31 + (unsigned long)(again->first + again->second);
        free(again);
    }
    printf("%lu\n", sum);
    return 0;
}
