// Variables in a section of their own, which are found by the names that the linker gives its begin and its
// end.
// proves: 24 no  reason: is reached from what other code sees
#include <stdio.h>
#include <stdlib.h>

struct node {
    long value, weight;
    struct node* next;
};

struct queue {
    struct node* first;
    long count;
};

static struct queue one __attribute__((section("queues")));
static struct queue other __attribute__((section("queues")));
extern struct queue __start_queues[], __stop_queues[];

__attribute__((noinline)) static void push(struct queue* queue, long value) {
    struct node* node = malloc(sizeof *node);
    node->value = value;
    node->weight = 2 * value;
    node->next = queue->first;
    queue->first = node;
    ++queue->count;
}

__attribute__((noinline)) static long pop(struct queue* queue) {
    struct node* node = queue->first;
    const long value = node->value + node->weight;
    queue->first = node->next;
    --queue->count;
    free(node);
    return value;
}

int main(void) {
    for (long i = 0; i < 100; ++i) {
        push(&one, i);
        push(&other, 3 * i);
    }
    unsigned long sum = (unsigned long)(pop(&one) + pop(&other));
    for (struct queue* queue = __start_queues; queue < __stop_queues; ++queue) {
        while (queue->first != NULL) {
            sum = sum * 31 + (unsigned long)pop(queue);
        }
    }
    printf("%lu\n", sum);
    return 0;
}
