// posix_memalign writes a field of an object, whose address it must get.
// proves: 32 pool  reason: function of a library
// proves: 64 pool  reason: pools do not replace
#include <stdio.h>
#include <stdlib.h>

struct node {
    long first;
    struct node* next;
    void* room;
    int mark;
};

static struct node* head;

int main(void) {
    unsigned long sum = 0;
    for (int i = 0; i < 500; ++i) {
        struct node* node = malloc(sizeof *node);
        node->first = i;
        node->next = head;
        node->mark = i * 3;
        if (posix_memalign(&node->room, 64, 64) != 0) {
            return 1;
        }
        *(long*)node->room = i * 5;
        head = node;
    }
    while (head != NULL) {
        struct node* gone = head;
        head = gone->next;
        sum = sum * 31 + (unsigned long)gone->first + (unsigned long)gone->mark +
              (unsigned long)*(long*)gone->room;
        free(gone->room);
        free(gone);
    }
    printf("%lu\n", sum);
    return 0;
}
