#include <stddef.h>

struct node {
    struct node* next;
    long value;
    int mark;
    long weight;
};

extern struct node* head;

void mark_all(int by) {
    for (struct node* node = head; node != NULL; node = node->next) {
        node->mark += by;
        node->weight *= 2;
    }
}
