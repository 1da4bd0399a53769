// Arrays and objects by themselves, which one list leads to: one is an array, too.
// proves: 32 split
#include <stdio.h>
#include <stdlib.h>

struct node {
    struct node* next;
    long value;
    int count;
    double weight;
};

static struct node* head;
static volatile int chunk = 16;

static void push(struct node* node, long value) {
    node->next = head;
    node->value = value;
    node->count = (int)value % 5;
    node->weight = (double)value / 2;
    head = node;
}

int main(void) {
    struct node* chunks[4];
    for (int i = 0; i < 4; ++i) {
        const int length = chunk + i;
        chunks[i] = i % 2 ? calloc((size_t)length, sizeof(struct node))
                          : malloc((size_t)length * sizeof(struct node));
        for (int j = 0; j < length; ++j) {
            push(&chunks[i][j], i * 100 + j);
        }
        struct node* single = malloc(sizeof *single);
        push(single, 1000 + i);
        struct node* pair = calloc(2, sizeof *pair);
        push(pair + 1, 2000 + i);
        push(pair, 3000 + i);
    }
    long sum = 0;
    for (const struct node* node = head; node != NULL; node = node->next) {
        sum = sum * 31 + node->value + node->count + (long)node->weight;
    }
    for (int i = 0; i < 4; ++i) {
        sum += chunks[i][chunk - 1].value + (chunks[i] < chunks[i] + chunk);
    }
    printf("%ld\n", sum);
    return 0;
}
