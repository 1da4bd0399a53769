// A handler that reaches objects through a variable that it shares.
// proves: 24 split
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

struct node {
    struct node* next;
    long value;
    int mark;
};

static struct node* head;

static void on_signal(int number) {
    if (number == SIGUSR1) {
        head->next->mark += 9;
    }
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
    signal(SIGUSR1, on_signal);
    raise(SIGUSR1);
    for (struct node* node = head; node != NULL; node = node->next) {
        sum = sum * 31 + (unsigned long)node->value + (unsigned long)node->mark;
    }
    printf("%lu\n", sum);
    return 0;
}
