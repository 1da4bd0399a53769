// An element that an index chooses, and the next one: the last of them is behind what the index reaches.
// proves: 152 split
#include <stdio.h>
#include <stdlib.h>
struct node {
    struct node* next;
    int id, counts[33], tail;
};
static struct node* head;
static volatile unsigned at = 5;
__attribute__((noinline)) static void bump(struct node* n, unsigned k) {
    n->counts[(k & 31) + 1] += n->counts[k & 31] + 1;
}
int main(void) {
    for (int i = 0; i < 60; ++i) {
        struct node* n = calloc(1, sizeof *n);
        n->next = head;
        n->id = i;
        n->tail = 1000 + i;
        n->counts[32] = 7;
        head = n;
    }
    for (unsigned round = 0; round < 200; ++round)
        for (struct node* n = head; n; n = n->next) bump(n, round * 7 + at + (unsigned)n->id);
    unsigned long sum = 0;
    for (struct node* n = head; n; n = n->next)
        sum =
            sum * 31 + (unsigned)n->counts[32] + (unsigned)n->counts[3] + (unsigned)n->tail + (unsigned)n->id;
    printf("%lu\n", sum);
}
