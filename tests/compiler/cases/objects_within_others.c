// Low bits are cleared of an address in an object that lies 8 bytes within another one, or alone.
// proves: 24 no
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

struct leaf {
    long count, weight;
    int mark;
};
struct twig {
    long length, width, leaves;
    int mark;
};
struct fork {
    struct leaf* leaf;
    struct twig* twig;
};
struct branch {
    long number;
    struct fork fork;
};

__attribute__((noinline)) static void** even(void* place) {
    return (void**)((uintptr_t)place & ~(uintptr_t)15);
}

int main(void) {
    unsigned long sum = 0;
    for (long i = 0; i < 50; ++i) {
        struct branch* branch = i % 2 != 0 ? malloc(sizeof *branch) : NULL;
        struct fork* fork = branch != NULL ? &branch->fork : malloc(sizeof *fork);
        fork->leaf = malloc(sizeof *fork->leaf);
        *fork->leaf = (struct leaf){i, 2 * i, 3};
        fork->twig = malloc(sizeof *fork->twig);
        *fork->twig = (struct twig){i, 5 * i, 7 * i, 9};
        void** found = even(&fork->twig);
        if (branch != NULL) {
            struct twig* twig = *found;
            sum = sum * 31 + (unsigned long)(twig->width + twig->leaves + twig->mark);
        } else {
            struct leaf* leaf = *found;
            sum = sum * 31 + (unsigned long)(leaf->count + leaf->weight + leaf->mark);
        }
        sum += (unsigned long)(fork->leaf->weight + fork->twig->length);
    }
    printf("%lu\n", sum);
    return 0;
}
