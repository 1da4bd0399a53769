// The C library calls back with pointers to pointers to objects.
// proves: 24 split
#include <stdio.h>
#include <stdlib.h>

struct node {
    struct node* next;
    long value;
    int mark;
};

static struct node* head;

static int order(const void* one, const void* other) {
    const struct node *a = *(struct node* const*)one, *b = *(struct node* const*)other;
    return (a->value > b->value) - (a->value < b->value);
}

int main(void) {
    for (int i = 0; i < 50; ++i) {
        struct node* node = malloc(sizeof *node);
        node->next = head;
        node->value = i * 37 % 50;
        node->mark = i;
        head = node;
    }
    unsigned long sum = 0;
    struct node* all[50];
    int count = 0;
    for (struct node* node = head; node != NULL; node = node->next) {
        all[count++] = node;
    }
    qsort(all, 50, sizeof all[0], order);
    sum = (unsigned long)all[7]->mark;
    for (struct node* node = head; node != NULL; node = node->next) {
        sum = sum * 31 + (unsigned long)node->value + (unsigned long)node->mark;
    }
    printf("%lu\n", sum);
    return 0;
}
