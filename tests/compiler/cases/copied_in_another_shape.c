// Bytes of an array of pairs are copied to an array of triples: the pointers come to lie at other places.
// proves: 24 split
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct leaf {
    long a, b, c;
};
struct pair {
    long tag;
    struct leaf* leaf;
};
struct triple {
    struct leaf* first;
    long tag;
    struct leaf* third;
};
static volatile int six = 6;
static struct leaf* leaf_of(long v) {
    struct leaf* l = malloc(sizeof *l);
    l->a = v;
    l->b = 2 * v;
    l->c = 3 * v;
    return l;
}
__attribute__((noinline)) static struct pair* make(int n) {
    struct pair* p = malloc((size_t)n * sizeof *p);
    for (int i = 0; i < n; ++i) {
        p[i].tag = 0;
        p[i].leaf = leaf_of(i);
    }
    return p;
}
__attribute__((noinline)) static long sum(struct triple* t, int n) {
    long s = 0;
    for (int i = 0; i < n; ++i) {
        if (i & 1) s = s * 31 + t[i].first->a + 10 * t[i].first->b + 100 * t[i].first->c;
    }
    return s;
}
int main(void) {
    struct pair* p = make(six);
    struct triple* t = malloc((size_t)six * sizeof *p);
    memcpy(t, p, (size_t)six * sizeof *p);
    // Words: 0 leaf | 0 leaf | ... the pointers are the odd words; a triple's first word is 3 i.
    printf("%ld\n", sum(t, six * 2 / 3));
    for (int i = 0; i < six; ++i) printf("%ld ", p[i].leaf->b);
    puts("");
}
