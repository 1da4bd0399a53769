// Whole structures from the heap to the stack, to a variable, and to the heap.
// proves: 32 split
// graph: head is global
// graph: kept is global
// graph: node is heap 32
// graph: head+0 -> node+0
// graph: kept+0 -> node+0
// graph: node+0 -> node+0
#include <stdio.h>
#include <stdlib.h>

struct node {
    struct node* next;
    long a;
    double b;
    int c;
    char d;
};

static struct node* head;
static struct node kept;

__attribute__((noinline)) static void swap(struct node* one, struct node* other) {
    struct node first = *one, second = *other;
    struct node* next = first.next;
    first.next = second.next;
    second.next = next;
    *one = second;
    *other = first;
}

int main(void) {
    for (int i = 0; i < 100; ++i) {
        struct node* node = malloc(sizeof *node);
        *node = (struct node){head, i, i * 0.5, 3 * i, (char)i};
        head = node;
    }
    swap(head, head->next);
    swap(head, head->next->next);
    kept = *head->next;
    *head = kept;
    head->next = kept.next;
    long sum = kept.a + kept.c;
    for (struct node* node = head; node != NULL; node = node->next) {
        sum = sum * 31 + node->a + (long)(2 * node->b) + node->c + node->d;
    }
    printf("%ld\n", sum);
    return 0;
}
