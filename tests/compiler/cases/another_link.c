// A function in code that is not seen has the name of one of POSIX, which ISO C leaves to programs.
// beside: foreign/another_link.c
// proves: 16 no  reason: code that is not seen
#include <stdio.h>
#include <stdlib.h>

struct node {
    struct node* next;
    long value;
};
struct list {
    struct node* first;
    long count;
};

int link(struct list* list, struct node* node);

int main(void) {
    struct list all = {NULL, 0};
    long sum = 0;
    for (long i = 0; i < 10; ++i) {
        struct node* node = malloc(sizeof *node);
        node->value = i;
        link(&all, node);
    }
    while (all.first != NULL) {
        struct node* node = all.first;
        all.first = node->next;
        sum = 3 * sum + node->value;
        free(node);
    }
    printf("%ld of %ld\n", sum, all.count);
}
