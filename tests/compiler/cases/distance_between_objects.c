// Pointers are kept as distances from something else, as in memory that processes share: from a variable, and
// from where the pointer itself lies. C does not say what these are; programs know.
// proves: 24 no  reason: a calculated address may lead to it
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

struct node {
    long value, weight;
    ptrdiff_t next;
};

static char here[8];
static ptrdiff_t first;

__attribute__((noinline)) static void put(struct node* node) {
    first = (char*)node - here;
}

__attribute__((noinline)) static struct node* get(void) {
    return (struct node*)(here + first);
}

static struct node* next_of(struct node* node) {
    return node->next == 1 ? NULL : (struct node*)((char*)&node->next + node->next);
}

static void set_next(struct node* node, struct node* next) {
    node->next = next == NULL ? 1 : (char*)next - (char*)&node->next;
}

int main(void) {
    struct node* list = NULL;
    for (long i = 0; i < 100; ++i) {
        struct node* node = malloc(sizeof *node);
        node->value = i;
        node->weight = 2 * i;
        set_next(node, list);
        list = node;
    }
    put(list);
    unsigned long sum = 0;
    for (struct node* node = get(); node != NULL;) {
        struct node* next = next_of(node);
        sum = sum * 31 + (unsigned long)(node->value + node->weight);
        free(node);
        node = next;
    }
    printf("%lu\n", sum);
    return 0;
}
