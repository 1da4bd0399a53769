// Atomic accesses to a field: it stays one, and is found where the field lies.
// proves: 24 split
#include <stdio.h>
#include <stdlib.h>

struct node {
    struct node* next;
    int hits;
    int plain;
    long total;
};

static struct node* head;

int main(void) {
    for (int i = 0; i < 100; ++i) {
        struct node* node = malloc(sizeof *node);
        *node = (struct node){head, i, 2 * i, 3};
        head = node;
    }
    for (int round = 0; round < 5; ++round) {
        for (struct node* node = head; node != NULL; node = node->next) {
            __atomic_fetch_add(&node->hits, round, __ATOMIC_SEQ_CST);
            int seen = node->plain;
            __atomic_compare_exchange_n(&node->plain, &seen, seen + 1, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
            long old = __atomic_exchange_n(&node->total, (long)round, __ATOMIC_ACQ_REL);
            __atomic_store_n(&node->hits, __atomic_load_n(&node->hits, __ATOMIC_ACQUIRE) + (int)old,
                             __ATOMIC_RELEASE);
        }
    }
    long sum = 0;
    for (struct node* node = head; node != NULL; node = node->next) {
        sum = sum * 31 + node->hits + node->plain * 7 + node->total;
    }
    printf("%ld\n", sum);
    return 0;
}
