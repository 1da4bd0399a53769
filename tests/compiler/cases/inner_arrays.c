// Arrays within objects: constant and variable indices, and a field behind.
// proves: 56 split
// graph: head is global
// graph: node is heap 56, array 8..24 by 4
// graph: head+0 -> node+0
// graph: node+0 -> node+0
#include <stdio.h>
#include <stdlib.h>

struct node {
    struct node* next;
    int counts[4];
    long sizes[3];
    short mark;
};

static struct node* head;
static volatile int which;

int main(void) {
    for (int i = 0; i < 100; ++i) {
        struct node* node = calloc(1, sizeof *node);
        node->next = head;
        node->counts[i & 3] = i;
        node->sizes[1] = 3 * i;
        node->sizes[2] = 5 * i;
        node->mark = (short)i;
        head = node;
    }
    long sum = 0;
    for (struct node* node = head; node != NULL; node = node->next) {
        which = which + 1;
        sum = sum * 31 + node->counts[which & 3] + node->counts[0] + node->sizes[1] + node->sizes[2] +
              node->mark;
    }
    printf("%ld\n", sum);
    return 0;
}
