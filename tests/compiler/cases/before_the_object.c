// A pointer that leads before its object, as arrays that begin at 1 have it, and back.
// shows: reached_from_outside
// proves: 24 pool  reason: is reached from outside of its fields
// options: -fwrapv
#include <stdio.h>
#include <stdlib.h>

struct node {
    int mark;
    long a;
    char letter;
};

static struct node* shifted[64];

__attribute__((noinline)) static void keep(int at, char* node) {
    shifted[at] = (struct node*)(node - 24);
}

int main(void) {
    long sum = 0;
    for (int i = 0; i < 64; ++i) {
        struct node* node = malloc(sizeof *node);
        node->mark = i;
        node->a = 2 * i;
        node->letter = (char)i;
        keep(i, (char*)node);
    }
    for (int i = 0; i < 64; ++i) {
        sum = sum * 31 + shifted[i][1].mark + shifted[i][1].a + shifted[i][1].letter;
    }
    printf("%ld\n", sum);
    return 0;
}
