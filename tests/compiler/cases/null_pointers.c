// Null where an object is expected: kept, compared, given back, and as the beginning of an offset.
// proves: 32 split
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

struct node {
    struct node* next;
    long value;
    struct node* other;
    int mark;
};

static struct node* head;
static struct node* volatile nothing;

__attribute__((noinline)) static long value_of(const struct node* node, long otherwise) {
    return node != NULL ? node->value : otherwise;
}

int main(void) {
    for (int i = 0; i < 100; ++i) {
        struct node* node = malloc(sizeof *node);
        *node = (struct node){head, i, i % 4 == 0 ? NULL : head, i};
        head = node;
    }
    const int* mark = &((struct node*)NULL)->mark;
    long sum = (long)(uintptr_t)mark;
    for (struct node* node = head; node != NULL; node = node->next) {
        sum = sum * 31 + value_of(node->other, -1) + value_of(nothing, 5) + node->mark;
        if (node->other == nothing) {
            node->other = node;
        }
    }
    free(nothing);
    while (head != NULL) {
        struct node* node = head;
        head = node->next;
        sum = sum * 31 + node->other->mark;
        free(node);
    }
    printf("%ld\n", sum);
    return 0;
}
