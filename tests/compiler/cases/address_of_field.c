// The address of a field is given away, and changed through.
// proves: 24 split
#include <stdio.h>
#include <stdlib.h>

struct node {
    struct node* next;
    long value;
    int count;
};

static struct node* head;

__attribute__((noinline)) static void bump(long* at) {
    *at = *at * 3 + 1;
}

int main(void) {
    for (int i = 0; i < 100; ++i) {
        struct node* node = malloc(sizeof *node);
        node->next = head;
        node->value = i;
        node->count = i % 7;
        head = node;
    }
    long sum = 0, other = 5;
    for (struct node* node = head; node != NULL; node = node->next) {
        bump(&node->value);
        sum = sum * 31 + node->value + node->count;
    }
    printf("%ld %ld\n", sum, other);
    return 0;
}
