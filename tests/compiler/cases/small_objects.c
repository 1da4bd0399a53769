// Fields of fewer than 16 bytes together: a pool has room for no more objects than the run time can count.
// proves: 24 split
#include <stdio.h>
#include <stdlib.h>

struct node {
    int number;
    struct node* next;
    char letter;
};

static struct node* head;

int main(void) {
    for (int i = 0; i < 200000; ++i) {
        struct node* node = malloc(sizeof *node);
        node->number = i;
        node->letter = (char)i;
        node->next = head;
        head = node;
    }
    long sum = 0;
    for (struct node* node = head; node != NULL; node = node->next) {
        sum = sum * 31 + node->number + node->letter;
    }
    printf("%ld\n", sum);
    return 0;
}
