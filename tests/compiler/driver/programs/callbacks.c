/* A library's function calls back into the program by name and by address, and keeps the program's nodes. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

struct node {
    struct node* next;
    long value;
    long unused[6];
};

struct node* first; /* exported by -rdynamic: the library walks it */

long by_name(struct node* node) {
    return node->value + 1;
}

static int by_value(const void* a, const void* b) {
    const struct node* const* left = a;
    const struct node* const* right = b;
    return ((*left)->value > (*right)->value) - ((*left)->value < (*right)->value);
}

static struct node* make(struct node* next, long value) {
    struct node* made = malloc(sizeof *made);
    *made = (struct node){next, value, {value}};
    return made;
}

int main(void) {
    struct node* sorted[100];
    for (long i = 0; i < 100; ++i) sorted[i] = first = make(first, (i * 37) % 100);
    qsort(sorted, 100, sizeof *sorted, by_value);
    long order = 0;
    for (long i = 0; i < 100; ++i) order += i * sorted[i]->value;
    void* library = dlopen("./library.so", RTLD_NOW);
    if (library == NULL) return 1;
    long (*walk)(void) = (long (*)(void))dlsym(library, "walk");
    printf("%ld %ld\n", order, walk());
    for (struct node *at = first, *next; at != NULL; at = next) {
        next = at->next;
        free(at);
    }
    return 0;
}
