// Elements that are copied and exchanged whole: sorted by insertion and by partition.
// proves: 40 split
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct record {
    long key;
    struct record* first;
    double weight;
    int number, mark;
    short kind;
};

static volatile int wanted = 257;

__attribute__((noinline)) static void exchange(struct record* one, struct record* other) {
    const struct record kept = *one;
    *one = *other;
    *other = kept;
}

__attribute__((noinline)) static void insert_sorted(struct record* all, int count) {
    for (int i = 1; i < count; ++i) {
        const struct record moved = all[i];
        int at = i;
        for (; at > 0 && all[at - 1].key > moved.key; --at) {
            all[at] = all[at - 1];
        }
        all[at] = moved;
    }
}

__attribute__((noinline)) static int partition(struct record* all, int count, long pivot) {
    int low = 0;
    for (int i = 0; i < count; ++i) {
        if (all[i].key < pivot) {
            exchange(&all[low++], &all[i]);
        }
    }
    return low;
}

static long sum_of(const struct record* all, int count) {
    long sum = 0;
    for (int i = 0; i < count; ++i) {
        sum = sum * 31 + all[i].key + all[i].number + all[i].mark + all[i].kind + (long)all[i].weight +
              all[i].first->number;
    }
    return sum;
}

int main(void) {
    const int count = wanted;
    struct record* all = malloc((size_t)count * sizeof *all);
    for (int i = 0; i < count; ++i) {
        memset(&all[i], 0, sizeof all[i]);
        all[i].key = i * 89 % 211;
        all[i].number = i;
        all[i].weight = i * 0.75;
        all[i].kind = (short)(i % 3);
        all[i].first = all;
    }
    long sum = sum_of(all, count) + partition(all, count, 100);
    sum = sum * 31 + sum_of(all, count);
    for (int i = 0; i < count; i += 4) {
        all[i].mark += all[i + 1 < count].number;
    }
    insert_sorted(all, count);
    sum = sum * 31 + sum_of(all, count);
    free(all);
    printf("%ld\n", sum);
    return 0;
}
