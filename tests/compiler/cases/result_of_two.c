// A pointer to an object and a number, given back together in two registers.
// proves: 32 pool  reason: is used by an instruction that is not followed
#include <stdio.h>
#include <stdlib.h>

struct node {
    struct node* next;
    long value;
    int mark;
    long weight;
};

struct found {
    struct node* node;
    long steps;
};

static struct node* head;

__attribute__((noinline)) static struct found find(long value) {
    struct found found = {head, 0};
    while (found.node != NULL && found.node->value != value) {
        found.node = found.node->next;
        ++found.steps;
    }
    return found;
}

int main(void) {
    for (int i = 0; i < 100; ++i) {
        struct node* node = malloc(sizeof *node);
        *node = (struct node){head, i, i * 2, i * 3};
        head = node;
    }
    long sum = 0;
    for (long value = 0; value < 120; value += 7) {
        const struct found found = find(value);
        sum = sum * 31 + found.steps + (found.node != NULL ? found.node->weight : 0);
        if (found.node != NULL) {
            found.node->mark += 1;
        }
    }
    for (struct node* node = head; node != NULL; node = node->next) {
        sum = sum * 31 + node->mark;
    }
    printf("%ld\n", sum);
    return 0;
}
