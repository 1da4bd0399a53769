// An address as a number that chooses a bucket: no other address is made of it.
//
// proves: 24 pool  reason: is used
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

struct node {
    struct node* chain;
    long value, seen;
};

static struct node* buckets[64];

static unsigned place_of(const struct node* node) {
    return (unsigned)(((uintptr_t)node >> 4) * 2654435761u) % 64;
}

int main(void) {
    for (int i = 0; i < 1000; ++i) {
        struct node* node = malloc(sizeof *node);
        node->value = i;
        node->seen = 0;
        node->chain = buckets[place_of(node)];
        buckets[place_of(node)] = node;
    }
    long sum = 0, misplaced = 0;
    for (unsigned i = 0; i < 64; ++i) {
        for (struct node* node = buckets[i]; node != NULL; node = node->chain) {
            misplaced += place_of(node) != i;
            node->seen++;
            sum += node->value * node->seen;
        }
    }
    printf("%ld %ld\n", sum, misplaced);
    return 0;
}
