/* Makes nodes of a list until there is no memory, reads all of them, and prints how many MiB they were. */
#include <stdio.h>
#include <stdlib.h>

struct node {
    struct node* next;
    long value;
    double weight;
    int kind;
    int mark;
    long spare;
};

static struct node* first;

static long fill(void) {
    long count = 0;
    for (;; ++count) {
        struct node* node = malloc(sizeof(struct node));
        if (node == NULL) return count;
        node->next = first;
        node->value = count;
        node->weight = (double)count;
        node->kind = (int)(count % 7);
        node->mark = 1;
        node->spare = -count;
        first = node;
    }
}

int main(void) {
    const long count = fill();
    long seen = 0, wrong = 0;
    for (struct node* node = first; node != NULL; node = node->next) {
        ++seen;
        const long number = count - seen;
        wrong += node->value != number || node->weight != (double)number || node->kind != number % 7 ||
                 node->mark != 1 || node->spare != -number;
    }
    while (first != NULL) {
        struct node* next = first->next;
        free(first);
        first = next;
    }
    if (seen != count || wrong != 0) return 1;
    printf("%ld\n", (long)(count * sizeof(struct node) >> 20));
    return 0;
}
