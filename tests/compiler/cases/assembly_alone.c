// A function that is assembly alone hands its argument on.
// proves: 16 no  reason: code that is not seen
#include <stdio.h>
#include <stdlib.h>

struct node {
    struct node* next;
    long value;
};

__attribute__((naked, noinline)) static void* hand_over(void* word) {
    __asm__("movq %rdi, %rax\n\tret");
}
static void* (*volatile chosen)(void*) = hand_over;

int main(void) {
    struct node* head = NULL;
    for (long i = 0; i < 100; ++i) {
        struct node* node = malloc(sizeof *node);
        *node = (struct node){head, i};
        head = node;
    }
    struct node* other = hand_over(head);
    other->value += 5;
    long sum = 0;
    for (struct node *node = chosen(head), *next; node != NULL; node = next) {
        next = node->next;
        sum = 7 * sum + node->value;
        free(node);
    }
    printf("%ld\n", sum);
}
