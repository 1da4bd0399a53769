// What the program exports is found by its name: a function that gives and takes objects, and a variable.
// link: -rdynamic -ldl
// proves: 32 no
// proves: 24 split
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

struct node {
    struct node* next;
    long value;
    int mark;
    long weight;
};

struct own {
    struct own* next;
    long value;
    int mark;
};

struct node* head;
static struct own* own;

struct node* first_after(struct node* node, long value) {
    while (node != NULL && node->value <= value) {
        node = node->next;
    }
    return node;
}

int main(void) {
    for (int i = 0; i < 100; ++i) {
        struct node* node = malloc(sizeof *node);
        *node = (struct node){head, i * 37 % 100, i * 2, i * 3};
        head = node;
        struct own* made = malloc(sizeof *made);
        *made = (struct own){own, i * 5, i};
        own = made;
    }
    void* self = dlopen(NULL, RTLD_NOW);
    struct node* (*find)(struct node*, long) = NULL;
    *(void**)&find = dlsym(self, "first_after");
    struct node** first = dlsym(self, "head");
    if (find == NULL || first == NULL) {
        return 1;
    }
    long sum = 0;
    for (long value = 0; value < 99; value += 7) {
        struct node* found = find(*first, value);
        found->mark += 3;
        sum = sum * 31 + found->value;
    }
    for (struct node* node = *first; node != NULL; node = node->next) {
        sum = sum * 31 + node->mark + node->weight;
    }
    for (struct own* each = own; each != NULL; each = each->next) {
        sum = sum * 31 + each->value + each->mark;
    }
    printf("%ld\n", sum);
    return 0;
}
