// Fields that lie at addresses which are no multiples of their lengths.
// proves: 19 split
#include <stdio.h>
#include <stdlib.h>

struct __attribute__((packed)) node {
    char tag;
    struct node* next;
    short small;
    long value;
};

static struct node* head;

int main(void) {
    for (int i = 0; i < 100; ++i) {
        struct node* node = malloc(sizeof *node);
        node->tag = (char)i;
        node->next = head;
        node->small = (short)(2 * i);
        node->value = 3 * i;
        head = node;
    }
    long sum = 0;
    for (struct node* node = head; node != NULL; node = node->next) {
        sum = sum * 31 + node->tag + node->small + node->value;
    }
    printf("%ld\n", sum);
    return 0;
}
