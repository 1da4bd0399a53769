// Which of two places in an object comes first: split, they may lie the other way round, as fields whose
// length is a power of two come before others.
// shows: places_compared
// proves: 48 pool  reason: pointers to different places in it are compared
#include <stdio.h>
#include <stdlib.h>

struct node {
    struct node* next;
    int mark;
    long double share;
    long value;
};

static struct node* head;

__attribute__((noinline)) static int is_before(const void* one, const void* other) {
    return one < other;
}

int main(void) {
    for (int i = 0; i < 100; ++i) {
        struct node* node = malloc(sizeof *node);
        node->next = head;
        node->mark = i;
        node->share = i * 0.5L;
        node->value = 3 * i;
        head = node;
    }
    long sum = is_before(&head->share, &head->value);
    for (struct node* node = head; node != NULL; node = node->next) {
        sum = sum * 31 + node->value + node->mark + (long)node->share;
    }
    printf("%ld\n", sum);
    return 0;
}
