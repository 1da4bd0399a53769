#include "nodes.h"

#include <stdlib.h>

struct node {
    struct node* next;
    long value;
    long unused[6];
};

struct node* push(struct node* head, long value) {
    struct node* made = malloc(sizeof *made);
    if (made == NULL) abort();
    *made = (struct node){head, value, {value, value, value, value, value, value}};
    return made;
}

long sum_of(const struct node* head) {
    long sum = 0;
    for (const struct node* at = head; at != NULL; at = at->next) sum += at->value;
    return sum;
}

void release(struct node* head) {
    while (head != NULL) {
        struct node* next = head->next;
        free(head);
        head = next;
    }
}
