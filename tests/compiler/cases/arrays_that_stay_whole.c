// Arrays of structures with arrays in them, those that realloc makes longer, and those whose elements' places
// are numbers.
// proves: 0 pool  reason: its bytes cannot be told apart
// proves: 0 pool  reason: is made larger or smaller
// proves: 24 pool  reason: is used by an instruction that is not followed
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

struct line {
    long key;
    int cells[3], used;
};

struct entry {
    long key;
    int count, mark;
};

struct slot {
    long key, value;
    int mark;
};

static volatile int wanted = 100;

__attribute__((noinline)) static int* cell(struct line* lines, int row, int column) {
    return &lines[row].cells[column];
}

__attribute__((noinline)) static struct entry* append(struct entry* entries, int count) {
    entries = realloc(entries, (size_t)(count + 1) * sizeof *entries);
    entries[count].key = count;
    entries[count].count = count * 2;
    entries[count].mark = 1;
    return entries;
}

__attribute__((noinline)) static uintptr_t hash(const struct slot* slot) {
    return (uintptr_t)slot / 16 * 0x9e3779b9u;
}

int main(void) {
    const int count = wanted;
    long sum = 0;
    struct line* lines = calloc((size_t)count, sizeof *lines);
    struct entry* entries = NULL;
    struct slot* slots = calloc((size_t)count, sizeof *slots);
    for (int i = 0; i < count; ++i) {
        lines[i].key = i;
        lines[i].used = i % 4;
        *cell(lines, i, i % 3) = i * 5;
        entries = append(entries, i);
        slots[i].key = i;
        slots[i].value = hash(&slots[i]) == hash(&slots[i / 2]);
        slots[i].mark = i;
    }
    for (int i = 0; i < count; ++i) {
        sum = sum * 31 + lines[i].key + *cell(lines, i, 1) + lines[i].used;
        sum = sum * 31 + entries[i].key + entries[i].count + entries[i].mark;
        sum = sum * 31 + slots[i].key + slots[i].value + slots[i].mark;
    }
    free(lines);
    free(entries);
    free(slots);
    printf("%ld\n", sum);
    return 0;
}
