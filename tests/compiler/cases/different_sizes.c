// Objects of different sizes behind one pointer.
// proves: 16 pool  reason: differ in size
#include <stdio.h>
#include <stdlib.h>

struct base {
    struct base* next;
    int kind;
};

struct more {
    struct base base;
    long extra[2];
};

static struct base* head;

int main(void) {
    for (int i = 0; i < 100; ++i) {
        struct base* made = NULL;
        if (i % 2 == 0) {
            made = malloc(sizeof *made);
        } else {
            struct more* more = malloc(sizeof *more);
            more->extra[1] = i;
            made = &more->base;
        }
        made->kind = i % 2;
        made->next = head;
        head = made;
    }
    long sum = 0;
    for (struct base* node = head; node != NULL; node = node->next) {
        sum = sum * 31 + node->kind + (node->kind ? ((struct more*)node)->extra[1] : 0);
    }
    printf("%ld\n", sum);
    return 0;
}
