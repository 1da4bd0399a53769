// A number with a fraction whose bytes begin in the middle of another one's.
// shows: accesses_overlap
// proves: 32 pool  reason: accesses that cannot be divided overlap
#include <stdio.h>
#include <stdlib.h>

struct __attribute__((packed)) later {
    int skipped;
    double number;
};

struct node {
    struct node* next;
    union {
        struct {
            double number;
            int rest;
        } plain;
        struct later later;
    } of;
    long value;
};

static struct node* head;

int main(void) {
    for (int i = 0; i < 100; ++i) {
        struct node* node = malloc(sizeof *node);
        node->next = head;
        node->value = i;
        if (i % 2 == 0) {
            node->of.plain.number = i * 0.5;
            node->of.plain.rest = i;
        } else {
            node->of.later.skipped = i;
            node->of.later.number = i * 0.25;
        }
        head = node;
    }
    long sum = 0;
    for (struct node* node = head; node != NULL; node = node->next) {
        if (node->value % 2 == 0) {
            sum = sum * 31 + (long)node->of.plain.number + node->of.plain.rest;
        } else {
            sum = sum * 31 + (long)(node->of.later.number * 4) + node->of.later.skipped;
        }
        sum += node->value;
    }
    printf("%ld\n", sum);
    return 0;
}
