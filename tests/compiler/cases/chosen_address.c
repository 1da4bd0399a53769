// A root at an address that the program has chosen: numbers that are no addresses of anything seen.
// proves: 32 no  reason: is reached from what other code sees
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
struct node {
    struct node* next;
    long value, weight;
    int mark;
};
struct root {
    struct node* head;
    long count;
};
#define ROOT ((struct root*)0x200000000)
__attribute__((noinline)) static void push(long v) {
    struct node* n = malloc(sizeof *n);
    n->next = ROOT->head;
    n->value = v;
    n->weight = 2 * v;
    n->mark = (int)v * 3;
    ROOT->head = n;
    ++ROOT->count;
}
__attribute__((noinline)) static unsigned long walk(void) {
    unsigned long sum = 0;
    for (struct node* n = ROOT->head; n; n = n->next)
        sum = sum * 31 + (unsigned long)(n->value + n->weight + n->mark);
    return sum;
}
int main(void) {
    if (mmap(ROOT, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0) ==
        MAP_FAILED)
        return 77;
    for (int i = 0; i < 100; ++i) push(i);
    printf("%lu %ld\n", walk(), ROOT->count);
}
