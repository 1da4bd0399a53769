// strncpy copies the text of a structure, and the pointer behind it as far as the length goes.
// proves: 24 no
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct node {
    long value, twice;
    int number;
};
struct tagged {
    char tag[8];
    struct node* node;
};

static volatile size_t length = sizeof(struct tagged);

/// Whether strncpy stops within the address.
static int has_zero(struct node* node) {
    const char* bytes = (const char*)&node;
    return memchr(bytes, 0, 6) != NULL;
}

__attribute__((noinline)) static struct node* copied(struct tagged* from) {
    struct tagged to;
    to.node = NULL;
    strncpy((char*)&to, (char*)from, length);
    return to.node;
}

int main(void) {
    long sum = 0;
    for (long i = 0; i < 50; ++i) {
        struct node* node = malloc(sizeof *node);
        node->value = i;
        node->twice = 2 * i;
        node->number = (int)i;
        struct tagged tagged = {"abcdefgh", node};
        struct tagged zeros = {"", NULL};
        sum = sum * 3 + node->value + node->number + (copied(&zeros) == NULL);
        struct node* same = has_zero(node) ? node : copied(&tagged);
        sum += same->twice;
        free(same);
    }
    printf("%ld\n", sum);
    return 0;
}
