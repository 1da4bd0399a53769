#include <stdio.h>

#include "nodes.h"

int main(void) {
    struct node* head = NULL;
    for (long i = 0; i < 1000; ++i) head = push(head, i);
    printf("%ld\n", sum_of(head));
    release(head);
    return 0;
}
