// A wrapper that says how large its objects are: of split ones it is not so.
// proves: 32 split
#include <stdio.h>
#include <stdlib.h>

struct node {
    long a, b, c;
    struct node* next;
};

static long made;

__attribute__((noinline, malloc, alloc_size(1), returns_nonnull, assume_aligned(16))) static void* request(
    size_t bytes) {
    void* object = malloc(bytes);
    if (object == NULL) {
        exit(3);
    }
    ++made;
    return object;
}

int main(void) {
    struct node* head = NULL;
    for (int i = 0; i < 100; ++i) {
        struct node* node = request(sizeof *node);
        node->a = i;
        node->b = 2 * i;
        node->c = 3 * i;
        node->next = head;
        head = node;
    }
    struct node* probe = request(sizeof *probe);
    probe->a = 1;
    probe->b = 2;
    probe->c = 3;
    probe->next = head;
    long sum = made;
    for (struct node* node = probe; node != NULL; node = node->next) {
        sum = sum * 31 + node->a + 10 * node->b + 100 * node->c;
    }
    printf("%ld\n", sum);
    return 0;
}
