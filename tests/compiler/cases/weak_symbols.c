// A function and a variable that are weak: code of another compiler has its own of both, and these count.
// beside: foreign/weak_symbols.c
// proves: 24 no
#include <stdio.h>
#include <stdlib.h>

struct node {
    struct node* next;
    long value;
    int mark;
};

__attribute__((weak)) struct node* head = NULL;

__attribute__((weak, noinline)) void change(struct node* node) {
    node->mark = -1;
}

__attribute__((weak)) void never_there(struct node* node);

int main(void) {
    for (int i = 0; i < 50; ++i) {
        struct node* node = malloc(sizeof *node);
        *node = (struct node){head, i, i * 2};
        head = node;
    }
    long sum = 0;
    for (struct node* node = head; node != NULL; node = node->next) {
        change(node);
        if (never_there != NULL) {
            never_there(node);
        }
        sum = sum * 31 + node->value + node->mark;
    }
    printf("%ld\n", sum);
    return 0;
}
