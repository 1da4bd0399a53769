// Objects that are requested as an array, and found by an index of which nothing is known.
// proves: 24 split
// graph: all is global
// graph: item is heap 2400, many in one, stride 24
// graph: all+0 -> item+0
#include <stdio.h>
#include <stdlib.h>

struct item {
    long key;
    int count;
    double weight;
};

static struct item* all;
static volatile int last = 99;

__attribute__((noinline)) static struct item* at(int number) {
    return &all[number];
}

int main(void) {
    all = calloc(100, sizeof *all);
    for (int i = 0; i < 100; ++i) {
        at(i)->key = i;
        at(i)->count = i * 3;
        at(i)->weight = i * 0.5;
    }
    long sum = 0;
    for (int i = last; i >= 0; --i) {
        sum = sum * 31 + at(i)->key + at(last - i)->count;
    }
    for (int i = 0; i < 100; ++i) {
        sum = sum * 31 + at(i)->key + (long)(at(i)->weight * 2);
    }
    free(all);
    printf("%ld\n", sum);
    return 0;
}
