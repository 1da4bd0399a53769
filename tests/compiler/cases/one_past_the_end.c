// Pointers to behind the last element: of an array in an object, of an array of objects, and of an object
// itself, which are compared with and stepped back from.
// proves: 40 no  reason: its bytes cannot be told apart
// proves: 16 split
#include <stdio.h>
#include <stdlib.h>

struct node {
    struct node* next;
    int counts[4];
    long value;
    short mark;
};

struct item {
    long key;
    int count;
};

static struct node* head;

__attribute__((noinline)) static long drain(int* begin, int* end) {
    long sum = 0;
    while (end != begin) {
        sum = sum * 31 + *--end;
    }
    return sum;
}

__attribute__((noinline)) static struct item* end_of(struct item* items, int count) {
    return items + count;
}

int main(void) {
    long sum = 0;
    for (int i = 0; i < 50; ++i) {
        struct node* node = malloc(sizeof *node);
        *node = (struct node){head, {i, i + 1, i + 2, i + 3}, i * 5, (short)i};
        head = node;
    }
    struct item* items = calloc(100, sizeof *items);
    for (struct item* item = items; item != end_of(items, 100); ++item) {
        item->key = item - items;
        item->count = (int)item->key * 2;
    }
    for (struct node* node = head; node != NULL; node = node->next) {
        sum = sum * 31 + drain(node->counts, node->counts + 4) + node->value + node->mark;
    }
    for (struct item* item = end_of(items, 100); item != items;) {
        --item;
        sum = sum * 31 + item->key + item->count;
    }
    free(items);
    printf("%ld\n", sum);
    return 0;
}
