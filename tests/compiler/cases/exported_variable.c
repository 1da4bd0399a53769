// A variable that code of another compiler changes objects through, by its name.
// beside: foreign/exported_variable.c
// shows: visible
// shows: reached_from_escaped
// proves: 32 no  reason: other code sees
#include <stdio.h>
#include <stdlib.h>

struct node {
    struct node* next;
    long value;
    int mark;
    long weight;
};

struct node* head;
void mark_all(int by);

int main(void) {
    for (int i = 0; i < 100; ++i) {
        struct node* node = malloc(sizeof *node);
        *node = (struct node){head, i, i * 2, i * 3};
        head = node;
    }
    mark_all(7);
    long sum = 0;
    for (struct node* node = head; node != NULL; node = node->next) {
        sum = sum * 31 + node->value + node->mark + node->weight;
    }
    printf("%ld\n", sum);
    return 0;
}
