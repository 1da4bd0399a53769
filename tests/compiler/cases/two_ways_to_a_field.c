// A byte of a union by its own place and as a part of the whole: both ways lead to the same place.
// proves: 24 split
#include <stdio.h>
#include <stdlib.h>

struct node {
    struct node* next;
    union {
        long number;
        unsigned char bytes[8];
    } of;
    int weight;
};

static struct node* head;

int main(void) {
    for (int i = 0; i < 50; ++i) {
        struct node* node = calloc(1, sizeof *node);
        node->next = head;
        node->weight = i;
        head = node;
    }
    unsigned long sum = 0;
    unsigned value = 123456;
    for (struct node* node = head; node != NULL; node = node->next) {
        node->of.number = (long)(value % 999);
        node->of.bytes[3] = (unsigned char)value;
        sum = sum * 31 + (unsigned long)node->of.number + (unsigned long)node->weight;
        value = value * 7 + 1;
    }
    printf("%lu\n", sum);
    return 0;
}
