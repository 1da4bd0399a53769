// A pointer is kept as two numbers of 32 bits, and put together by shifts.
// proves: 16 no  reason: a calculated address may lead to it
// proves: 24 no
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
struct child {
    long a, b, c;
};
struct parent {
    long key;
    struct child* child;
};
static struct parent* parents[16];
static uint32_t low[16], high[16];
__attribute__((noinline)) static void hide(int at, struct parent* p) {
    low[at] = (uint32_t)(uintptr_t)p;
    high[15 - at] = (uint32_t)((uintptr_t)p >> 32);
}
__attribute__((noinline)) static struct parent* find(int at) {
    return (struct parent*)((uintptr_t)high[15 - at] << 32 | low[at]);
}
__attribute__((noinline)) static void adopt(struct parent* p, int i) {
    struct child* c = malloc(sizeof *c);
    c->a = i;
    c->b = 2 * i;
    c->c = 3 * i;
    p->child = c;
}
__attribute__((noinline)) static unsigned long read(const struct child* c) {
    return (unsigned long)(c->a + 10 * c->b + 100 * c->c);
}
int main(void) {
    for (int i = 0; i < 16; ++i) {
        parents[i] = malloc(sizeof **parents);
        parents[i]->key = i;
        parents[i]->child = NULL;
        hide(i, parents[i]);
    }
    for (int i = 0; i < 16; ++i) adopt(find(i), i);
    unsigned long sum = 0;
    for (int i = 0; i < 16; ++i) sum = sum * 31 + read(parents[i]->child);
    printf("%lu\n", sum);
}
