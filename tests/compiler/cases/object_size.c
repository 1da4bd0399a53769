// How large an object is, as far as the compiler sees: the answer is clang's, whatever becomes of the object.
// proves: 24 split
#include <stdio.h>
#include <stdlib.h>

struct node {
    struct node* next;
    long value;
    int mark;
};

static struct node* head;

int main(void) {
    long sum = 0;
    for (int i = 0; i < 50; ++i) {
        struct node* node = malloc(sizeof *node);
        sum += (long)__builtin_object_size(node, 0) + (long)__builtin_dynamic_object_size(&node->mark, 1);
        *node = (struct node){head, i, i * 3};
        head = node;
    }
    for (struct node* node = head; node != NULL; node = node->next) {
        sum = sum * 31 + node->value + node->mark + (__builtin_object_size(node, 0) > 24);
    }
    printf("%ld\n", sum);
    return 0;
}
