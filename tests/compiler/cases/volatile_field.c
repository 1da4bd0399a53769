// A volatile field is accessed as often as the program says, and in one piece.
// proves: 24 split
#include <stdio.h>
#include <stdlib.h>

struct node {
    struct node* next;
    volatile int seen;
    int plain;
    long value;
};

static struct node* head;

int main(void) {
    for (int i = 0; i < 100; ++i) {
        struct node* node = malloc(sizeof *node);
        node->next = head;
        node->seen = i;
        node->plain = i + 1;
        node->value = i + 2;
        head = node;
    }
    long sum = 0;
    for (struct node* node = head; node != NULL; node = node->next) {
        node->seen = node->seen + 1;
        sum = sum * 31 + node->seen + node->plain + node->value;
    }
    printf("%ld\n", sum);
    return 0;
}
