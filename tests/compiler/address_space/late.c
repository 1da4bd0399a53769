/* A library whose list is released when nearly all of the library has ended: by a destructor of a reserved
 * priority (LATE_PRIORITY), or by the function that the linker's -fini names. */
#include <stdlib.h>

struct node {
    struct node* next;
    long value;
    double weight;
    int kind;
};

static struct node* list;

long work(long count) {
    long sum = 6 * count;
    for (long i = 0; i < count; ++i) {
        struct node* node = malloc(sizeof(struct node));
        if (node == NULL) abort();
        node->next = list;
        node->value = i;
        node->weight = 2.0 * (double)i;
        node->kind = (int)(i % 7);
        list = node;
    }
    for (const struct node* node = list; node != NULL; node = node->next) {
        sum += node->value + (long)node->weight;
    }
    return sum;
}

#ifdef LATE_PRIORITY
__attribute__((destructor(LATE_PRIORITY)))
#endif
void release_late(void) {
    long nodes = 0;
    while (list != NULL) {
        struct node* node = list;
        if (node->kind != (int)(node->value % 7)) abort();
        list = node->next;
        free(node);
        ++nodes;
    }
    if (nodes != 500) abort();
}
