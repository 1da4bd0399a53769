// Functions that are left by a jump.
// proves: 24 split
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>

struct node {
    struct node* next;
    long value;
    int mark;
};

static struct node* head;

static jmp_buf back;

__attribute__((noinline)) static void leave(struct node* node) {
    node->mark = 1234;
    longjmp(back, 1);
}

int main(void) {
    for (int i = 0; i < 50; ++i) {
        struct node* node = malloc(sizeof *node);
        node->next = head;
        node->value = i * 37 % 50;
        node->mark = i;
        head = node;
    }
    unsigned long sum = 0;
    if (setjmp(back) == 0) {
        leave(head->next);
    } else {
        sum = (unsigned long)head->next->mark;
    }
    for (struct node* node = head; node != NULL; node = node->next) {
        sum = sum * 31 + (unsigned long)node->value + (unsigned long)node->mark;
    }
    printf("%lu\n", sum);
    return 0;
}
