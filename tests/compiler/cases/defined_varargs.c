// A function of the program that takes more arguments than it names: nobody knows what it is given or
// returns.
//
// proves: 32 no  reason: is given to code that is not seen
// proves: 24 no
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

struct node {
    long value, weight;
    struct node* next;
    long rest;
};

struct item {
    long a, b, c;
};

struct holder {
    long count;
    struct item* item;
};

static struct node* head;
static struct item* known;

__attribute__((noinline)) static struct item* choose(struct holder* holder, int count, ...) {
    va_list arguments;
    va_start(arguments, count);
    for (int i = 0; i < count; ++i) {
        struct node* node = va_arg(arguments, struct node*);
        node->value += i;
        holder->count += node->weight;
    }
    va_end(arguments);
    holder->item = known;
    return known;
}

int main(void) {
    known = malloc(sizeof *known);
    known->a = 1;
    known->b = 2;
    known->c = 3;
    for (int i = 0; i < 50; ++i) {
        struct node* node = malloc(sizeof *node);
        *node = (struct node){i, i * 2, head, i * 3};
        head = node;
    }
    struct holder* holder = malloc(sizeof *holder);
    holder->count = 0;
    holder->item = NULL;
    struct item* got = choose(holder, 2, head, head->next);
    got->b += 5;
    holder->item->c += 7;
    long sum = holder->count + known->a + 10 * known->b + 100 * known->c;
    for (struct node* node = head; node != NULL; node = node->next) {
        sum = sum * 31 + node->value + node->weight + node->rest;
    }
    printf("%ld\n", sum);
    return 0;
}
