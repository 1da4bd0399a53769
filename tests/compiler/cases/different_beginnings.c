// Some objects have a head before what the others are: where these begin is eight bytes into those.
// shows: sizes_differ
// proves: 40 pool  reason: its objects differ in size, or a pointer to some leads into others
// graph: head is global
// graph: node is heap 40, heap 32 at 8
// graph: head+0 -> node+8
// graph: node+16 -> node+8
#include <stdio.h>
#include <stdlib.h>

struct node {
    long value;
    struct node* next;
    int mark;
    long weight;
};

static struct node* head;

int main(void) {
    for (int i = 0; i < 100; ++i) {
        struct node* node = NULL;
        if (i % 2 == 0) {
            long* raw = malloc(8 + sizeof *node);
            raw[0] = i;
            node = (struct node*)(raw + 1);
        } else {
            node = malloc(sizeof *node);
        }
        node->next = head;
        node->value = i;
        node->mark = i * 2;
        node->weight = i * 3;
        head = node;
    }
    long sum = 0;
    for (struct node* node = head; node != NULL; node = node->next) {
        sum = sum * 31 + node->value + node->mark + node->weight;
        if (node->value % 2 == 0) {
            sum += ((long*)node)[-1];
        }
    }
    printf("%ld\n", sum);
    return 0;
}
