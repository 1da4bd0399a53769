// One function for two lists of one layout, of which nothing tells the one from the other but who made it,
// and which are one at the end: copies bring nothing.
// proves: 24 split
#include <stdio.h>
#include <stdlib.h>

struct node {
    struct node* next;
    long value;
    long mark;
};

__attribute__((noinline)) static void push(struct node** list, long value) {
    struct node* made = malloc(sizeof *made);
    *made = (struct node){*list, value, value & 3};
    *list = made;
}

__attribute__((noinline)) static struct node* last_of(struct node* list) {
    while (list->next != NULL) {
        list = list->next;
    }
    return list;
}

int main(void) {
    struct node *even = NULL, *odd = NULL;
    for (long i = 0; i < 100; ++i) {
        push(i % 2 == 0 ? &even : &odd, i);
        push(&even, 3 * i);
        push(&odd, 5 * i);
    }
    last_of(even)->next = odd;
    long sum = 0;
    for (struct node* node = even; node != NULL; node = node->next) {
        sum = sum * 31 + node->value + node->mark;
    }
    printf("%ld\n", sum);
    while (even != NULL) {
        struct node* next = even->next;
        free(even);
        even = next;
    }
    return 0;
}
