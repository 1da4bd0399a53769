// A window that slides over numbers in a node: an index leads on from an element that another has chosen.
// proves: 80 pool  reason: an array begins where it does
#include <stdio.h>
#include <stdlib.h>
struct node {
    struct node* next;
    int w[16];
    int tail;
};
static struct node* head;
static volatile int nine = 9;
__attribute__((noinline)) static long window(const int* p, unsigned n) {
    long sum = 0;
    for (unsigned j = 0; j < (n & 7); ++j) sum = sum * 5 + p[j];
    return sum;
}
__attribute__((noinline)) static long average(const struct node* n, unsigned at) {
    return window(&n->w[at & 7], 7);
}
int main(void) {
    for (int i = 0; i < 50; ++i) {
        struct node* n = malloc(sizeof *n);
        n->next = head;
        n->w[0] = i;
        n->w[1] = i + 1;
        n->w[2] = i * 2;
        n->w[3] = i * 3;
        n->w[4] = 7 * i;
        n->w[5] = 11 * i;
        n->w[6] = 13 * i;
        n->w[7] = 17 * i;
        n->w[8] = 19 * i;
        n->w[9] = 23 * i;
        n->w[10] = 29 * i;
        n->w[11] = 31 * i;
        n->w[12] = 37 * i;
        n->w[13] = 41 * i;
        n->w[14] = 43 * i;
        n->w[15] = 47 * i;
        n->tail = 1000 + i;
        head = n;
    }
    unsigned long sum = 0;
    for (struct node* n = head; n; n = n->next)
        for (unsigned k = 0; k < (unsigned)nine; ++k)
            sum = sum * 31 + (unsigned long)average(n, k) + (unsigned long)n->tail;
    printf("%lu\n", sum);
}
