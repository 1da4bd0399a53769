// Bytes of objects compared by the C library.
// proves: 24 pool
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct node {
    struct node* next;
    long value;
    int mark;
};

static struct node* head;

int main(void) {
    for (int i = 0; i < 50; ++i) {
        struct node* node = malloc(sizeof *node);
        node->next = head;
        node->value = i * 37 % 50;
        node->mark = i;
        head = node;
    }
    unsigned long sum = 0;
    sum = (unsigned long)(memcmp(&head->value, &head->next->value, 12) > 0);
    for (struct node* node = head; node != NULL; node = node->next) {
        sum = sum * 31 + (unsigned long)node->value + (unsigned long)node->mark;
    }
    printf("%lu\n", sum);
    return 0;
}
