// Two numbers that travel in one register: an access of both is one of each.
// proves: 24 split
#include <stdio.h>
#include <stdlib.h>

struct pair {
    int one, other;
};

struct node {
    struct node* next;
    struct pair pair;
    int mark;
};

static struct node* head;

__attribute__((noinline)) static struct pair turn(struct pair pair) {
    return (struct pair){pair.other, pair.one + 1};
}

int main(void) {
    for (int i = 0; i < 100; ++i) {
        struct node* node = malloc(sizeof *node);
        node->next = head;
        node->pair.one = i;
        node->pair.other = 2 * i;
        node->mark = 3 * i;
        head = node;
    }
    long sum = 0;
    for (struct node* node = head; node != NULL; node = node->next) {
        node->pair = turn(node->pair);
        node->pair.one += node->mark;
    }
    for (struct node* node = head; node != NULL; node = node->next) {
        sum = sum * 31 + node->pair.one + 7 * node->pair.other;
    }
    printf("%ld\n", sum);
    return 0;
}
