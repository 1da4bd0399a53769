// What a debugger is asked about an element of an array of structures, which is split.
#include <stdio.h>
#include <stdlib.h>

struct row {
    long key;
    int count;
    double weight;
    short kind;
};

static volatile int wanted = 100;
static long sum;

static void look(const struct row* row) {
    sum += row->key + row->count + row->kind + (long)row->weight; /* stop at a row */
}

static void (*volatile look_at)(const struct row*) = look;

int main(void) {
    const int count = wanted;
    struct row* rows = calloc((size_t)count, sizeof *rows);
    for (int i = 0; i < count; ++i) {
        rows[i].key = i + 1000;
        rows[i].count = i * 2;
        rows[i].weight = i + 0.5;
        rows[i].kind = (short)(i % 7);
    }
    for (int i = 0; i < count; ++i) {
        sum += rows[i].key;
    }
    look_at(&rows[60]);
    printf("%ld\n", sum);
    free(rows);
    return 0;
}
