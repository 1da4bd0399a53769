// A function that takes more arguments than it names, called by a pointer.
// shows: maybe_unseen_code
// proves: 24 no  reason: code that is not seen
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

struct node {
    struct node* next;
    long value;
    int mark;
};

static struct node* head;

static long sum_of_all(int count, ...) {
    va_list arguments;
    va_start(arguments, count);
    long sum = 0;
    for (int i = 0; i < count; ++i) {
        struct node* node = va_arg(arguments, struct node*);
        node->mark += i;
        sum = sum * 31 + node->value + node->mark;
    }
    va_end(arguments);
    return sum;
}

static long none(int count, ...) {
    return count;
}

static long (*const calls[2])(int, ...) = {sum_of_all, none};
static volatile int which;

int main(void) {
    for (int i = 0; i < 50; ++i) {
        struct node* node = malloc(sizeof *node);
        *node = (struct node){head, i, i * 2};
        head = node;
    }
    long sum = 0;
    for (struct node* node = head; node->next != NULL; node = node->next) {
        which = which + 1;
        sum = sum * 31 + calls[which & 1](2, node, node->next);
    }
    printf("%ld\n", sum);
    return 0;
}
