// A tag in the lowest bit of a pointer.
// shows: calculated_address_leads
// proves: 24 no  reason: a calculated address may lead to it
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

struct node {
    uintptr_t next;
    long value;
    char letter;
};

static uintptr_t head;

int main(void) {
    for (int i = 0; i < 100; ++i) {
        struct node* node = malloc(sizeof *node);
        node->next = head;
        node->value = i;
        node->letter = (char)i;
        head = (uintptr_t)node | (i % 3 == 0);
    }
    long sum = 0;
    for (uintptr_t at = head; at != 0 && at != 1;) {
        struct node* node = (struct node*)(at & ~(uintptr_t)1);
        sum = sum * 31 + node->value + node->letter + (long)(at & 1);
        at = node->next;
    }
    printf("%ld\n", sum);
    return 0;
}
