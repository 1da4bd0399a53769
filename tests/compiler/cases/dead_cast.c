// A cast to a larger structure, which a tag forbids for all objects that there are: such code is never run,
// but its accesses are outside of the objects.
// shows: accessed_outside
// proves: 24 pool  reason: is accessed outside
#include <stdio.h>
#include <stdlib.h>

struct body {
    struct body* next;
    int kind;
    int mark;
    long value;
};

struct cell {
    struct body body;
    struct body* children[8];
    long size;
};

static struct body* head;
static volatile int kind;

int main(void) {
    for (int i = 0; i < 100; ++i) {
        struct body* body = malloc(sizeof *body);
        *body = (struct body){head, kind, i, i * 3};
        head = body;
    }
    long sum = 0;
    for (struct body* body = head; body != NULL; body = body->next) {
        sum = sum * 31 + body->value + body->mark;
        if (body->kind != 0) {
            struct cell* cell = (struct cell*)body;
            sum += cell->size + (cell->children[3] != NULL);
            cell->size = 0;
        }
    }
    printf("%ld\n", sum);
    return 0;
}
