// Links that are two addresses in one number: what they lead to is read and released by pointers that nobody
// follows.
// proves: 24 no
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

struct node {
    uintptr_t links;
    long value;
    long* extra;
};

static struct node *first, *last;

int main(void) {
    for (int i = 0; i < 100; ++i) {
        struct node* node = malloc(sizeof *node);
        node->value = i;
        node->extra = malloc(sizeof(long) * 2);
        node->extra[0] = i;
        node->extra[1] = 2 * i;
        node->links = (uintptr_t)last;
        if (last != NULL) {
            last->links ^= (uintptr_t)node;
        } else {
            first = node;
        }
        last = node;
    }
    long sum = first->extra[1];
    uintptr_t before = 0;
    for (struct node* node = first; node != NULL;) {
        sum = sum * 31 + node->value + node->extra[0] + node->extra[1];
        struct node* next = (struct node*)(node->links ^ before);
        before = (uintptr_t)node;
        node = next;
    }
    struct node* node = first;
    before = 0;
    while (node != NULL) {
        struct node* next = (struct node*)(node->links ^ before);
        before = (uintptr_t)node;
        free(node->extra);
        free(node);
        node = next;
    }
    printf("%ld\n", sum);
    return 0;
}
