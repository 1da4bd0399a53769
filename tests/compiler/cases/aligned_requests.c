// posix_memalign, memalign, aligned_alloc, valloc and pvalloc: no pool gives such objects, and what one call
// releases with others comes from where it did.
// proves: 0 no  reason: is requested in no size
#include <malloc.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

struct node {
    struct node* next;
    long value;
    int mark;
    long weight;
};

static struct node *head, *others;
static long wrong;

static void put(struct node* node, long value, unsigned alignment) {
    wrong += (uintptr_t)node % alignment != 0;
    *node = (struct node){head, value, (int)value * 2, value * 3};
    head = node;
}

int main(void) {
    for (int i = 0; i < 20; ++i) {
        void* room = NULL;
        if (posix_memalign(&room, 128, sizeof(struct node)) != 0) {
            return 1;
        }
        put(room, i, 128);
        put(memalign(64, sizeof(struct node)), i + 1, 64);
        put(aligned_alloc(32, sizeof(struct node)), i + 2, 32);
        put(valloc(sizeof(struct node)), i + 3, 4096);
        put(pvalloc(sizeof(struct node)), i + 4, 4096);
        struct node* other = aligned_alloc(256, 256);
        *other = (struct node){others, i, i, i};
        others = other;
    }
    long sum = wrong;
    for (struct node* node = head; node != NULL; node = node->next) {
        sum = sum * 31 + node->value + node->mark + node->weight;
    }
    while (head != NULL) {
        struct node* node = head;
        head = node->next;
        free(node);
    }
    while (others != NULL) {
        struct node* node = others;
        others = node->next;
        sum += node->value;
        free(node);
    }
    printf("%ld\n", sum);
    return 0;
}
