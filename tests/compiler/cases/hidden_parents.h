// Parents that are hidden as they are made and found again to get their children: a program around the two
// functions `hide` and `find`, which each case defines in its own way behind this.
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
__attribute__((noinline)) static void hide(int at, struct parent* p);
__attribute__((noinline)) static struct parent* find(int at);
__attribute__((noinline)) static void adopt(struct parent* p, int i) {
    struct child* c = malloc(sizeof *c);
    c->a = i;
    c->b = 2 * i;
    c->c = 3 * i;
    p->child = c;
}
__attribute__((noinline)) static unsigned long look(const struct child* c) {
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
    for (int i = 0; i < 16; ++i) sum = sum * 31 + look(parents[i]->child);
    printf("%lu\n", sum);
}
