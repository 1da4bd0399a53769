// A list whose nodes are found by other addresses than those that lie in it: same_of, of the case that
// includes this, makes an address again from what it finds of another one.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct node {
    struct node* next;
    long value, weight;
};

static struct node* same_of(struct node* node);

int main(void) {
    struct node* first = NULL;
    for (long i = 0; i < 100; ++i) {
        struct node* node = malloc(sizeof *node);
        *node = (struct node){first, i, 3 * i};
        first = node;
    }
    for (struct node* node = first; node != NULL; node = node->next) {
        same_of(node)->weight += node->value;
    }
    long sum = 0;
    while (first != NULL) {
        struct node* next = first->next;
        sum = 3 * sum + first->value + first->weight;
        free(same_of(first));
        first = next;
    }
    printf("%ld\n", sum);
    return 0;
}
