// How far pointers are apart: elements of an array of structures, and two places in one object.
// shows: used_as_number
// and: used_by_other_instruction
// and: address_calculated
// proves: 16 split
// proves: 40 pool  reason: used
#include <stdio.h>
#include <stdlib.h>

struct item {
    long key;
    int count;
};

struct node {
    struct node* next;
    long value;
    int mark;
    double weight;
    char letter;
};

static struct node* head;

__attribute__((noinline)) static long apart(const void* one, const void* other) {
    return (const char*)other - (const char*)one;
}

__attribute__((noinline)) static long number_of(const struct item* items, const struct item* item) {
    return item - items;
}

int main(void) {
    struct item* items = calloc(150, sizeof *items);
    for (int i = 0; i < 100; ++i) {
        struct node* node = malloc(sizeof *node);
        *node = (struct node){head, i, i * 2, i * 0.5, (char)i};
        head = node;
        items[i].key = i;
        items[i].count = i * 2;
    }
    long sum = apart(&head->value, &head->weight) * 100 + apart(&head->mark, &head->letter);
    for (const struct item* item = items; item->key < 99; ++item) {
        sum = sum * 31 + number_of(items, item) + item->count;
    }
    for (struct node* node = head; node != NULL; node = node->next) {
        sum = sum * 31 + node->value + node->mark + (long)node->weight + node->letter;
    }
    printf("%ld\n", sum);
    return 0;
}
