// Fields of some bits, which share their bytes.
// proves: 24 split
#include <stdio.h>
#include <stdlib.h>

struct node {
    struct node* next;
    unsigned low : 3, middle : 13, high : 9;
    int plain;
    short more;
};

static struct node* head;

int main(void) {
    for (unsigned i = 0; i < 100; ++i) {
        struct node* node = calloc(1, sizeof *node);
        node->next = head;
        node->low = i & 7;
        node->middle = i * 77 & 0x1fff;
        node->high = i & 0x1ff;
        node->plain = (int)i;
        node->more = (short)i;
        head = node;
    }
    unsigned long sum = 0;
    for (struct node* node = head; node != NULL; node = node->next) {
        node->middle += node->low;
        node->high ^= 5;
        sum = sum * 31 + node->low + node->middle + node->high + (unsigned)node->plain + (unsigned)node->more;
    }
    printf("%lu\n", sum);
    return 0;
}
