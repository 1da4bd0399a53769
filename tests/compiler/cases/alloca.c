// Room on the stack, as much as is found out when the program runs, with pointers to objects of the heap.
// proves: 24 split
#include <alloca.h>
#include <stdio.h>
#include <stdlib.h>

struct node {
    struct node* next;
    long value;
    int mark;
};

static struct node* head;

__attribute__((noinline)) static long sum_of_every(int count, int step) {
    struct node** kept = alloca((size_t)count * sizeof(struct node*));
    int used = 0;
    for (struct node* node = head; node != NULL && used < count; node = node->next) {
        kept[used++] = node;
    }
    long sum = 0;
    for (int i = 0; i < used; i += step) {
        sum = sum * 31 + kept[i]->value + kept[i]->mark;
        kept[i]->mark += i;
    }
    return sum;
}

int main(void) {
    for (int i = 0; i < 100; ++i) {
        struct node* node = malloc(sizeof *node);
        *node = (struct node){head, i, i * 3};
        head = node;
    }
    long sum = sum_of_every(50, 3) + sum_of_every(90, 7);
    for (struct node* node = head; node != NULL; node = node->next) {
        sum = sum * 31 + node->value + node->mark;
    }
    printf("%ld\n", sum);
    return 0;
}
