// What compare-and-exchange gives is the only way to the object: it is one of the set's all the same.
// proves: 24 pool  reason: used as a number
#include <stdio.h>
#include <stdlib.h>

struct node {
    long value;
    long weight;
    long length;
};

static struct node* slots[4];

__attribute__((noinline)) static void put(int at, long value) {
    struct node* node = malloc(sizeof *node);
    node->value = value;
    node->weight = value * 2;
    node->length = value * 3;
    slots[at & 3] = node;
}

__attribute__((noinline)) static long take(int at) {
    struct node* old = __sync_val_compare_and_swap(&slots[at & 3], (struct node*)NULL, (struct node*)NULL);
    return old->value + 10 * old->weight + 100 * old->length;
}

int main(void) {
    long sum = 0;
    for (int i = 0; i < 40; ++i) {
        put(i, i);
        sum = sum * 31 + take(i);
    }
    printf("%ld\n", sum);
    return 0;
}
