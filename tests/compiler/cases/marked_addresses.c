// Bits of addresses are cleared and set where another field lies: the address of an inner field is brought
// down to where its object or its page begins, and marks lead to the other half of an object.
// proves: 16 no  reason: its address is calculated with
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

struct leaf {
    long value, weight;
};

struct pair {
    struct leaf *one, *two;
};

static struct leaf* new_leaf(long value) {
    struct leaf* leaf = malloc(sizeof *leaf);
    leaf->value = value;
    leaf->weight = 3 * value;
    return leaf;
}

static struct pair* new_pair(long value) {
    struct pair* pair = malloc(sizeof *pair);
    pair->one = new_leaf(value);
    pair->two = new_leaf(-value);
    return pair;
}

static long take(struct leaf* leaf) {
    const long all = leaf->value + leaf->weight;
    free(leaf);
    return all;
}

__attribute__((noinline)) static struct pair* aligned_down(struct leaf** field) {
    return (struct pair*)__builtin_align_down(field, 16);
}

__attribute__((noinline)) static struct pair* masked(struct leaf** field) {
    return (struct pair*)((uintptr_t)field & ~(uintptr_t)15);
}

__attribute__((noinline)) static struct leaf** other_half(struct pair* pair) {
    return (struct leaf**)((uintptr_t)pair | 8);
}

__attribute__((noinline)) static struct leaf** exchanged_half(struct leaf** field) {
    return (struct leaf**)((uintptr_t)field ^ 8);
}

int main(void) {
    unsigned long sum = 0;
    for (long i = 1; i <= 50; ++i) {
        struct pair* pair = new_pair(i);
        struct leaf** field = i % 2 != 0 ? other_half(pair) : exchanged_half(&pair->one);
        sum = sum * 31 + (unsigned long)take(*field);
        struct pair* again = i % 3 != 0 ? aligned_down(&pair->two) : masked(&pair->two);
        sum = sum * 31 + (unsigned long)take(again->one);
        free(again);
    }
    printf("%lu\n", sum);
    return 0;
}
