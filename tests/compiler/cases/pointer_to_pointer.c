// A pointer that leads to the first link, a variable, and then to links within objects.
// proves: 24 pool  reason: may also point to a variable
#include <stdio.h>
#include <stdlib.h>

struct node {
    long value;
    struct node* next;
    int mark;
};

static struct node* head;

int main(void) {
    for (int i = 0; i < 100; ++i) {
        struct node* node = malloc(sizeof *node);
        node->value = i;
        node->mark = 2 * i;
        node->next = head;
        head = node;
    }
    for (struct node** link = &head; *link != NULL;) {
        struct node* node = *link;
        if (node->value % 3 == 0) {
            *link = node->next;
            free(node);
        } else {
            link = &node->next;
        }
    }
    long sum = 0;
    for (struct node* node = head; node != NULL; node = node->next) {
        sum = sum * 31 + node->value + node->mark;
    }
    printf("%ld\n", sum);
    return 0;
}
