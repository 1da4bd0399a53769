// memset of a length that nobody knows changes one byte of an address.
// proves: 24 no
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct node {
    long value, twice;
    int number;
};
struct table {
    struct node* first;
    char room[56];
    struct node* second;
    char rest[184];
};

static volatile size_t one = 1;

/// The lowest byte of a place in a table less is where the table begins.
__attribute__((noinline)) static struct node* first_of(struct node** place) {
    memset(&place, 0, one);
    return *place;
}

int main(void) {
    struct table* table = aligned_alloc(256, sizeof(struct table));
    long sum = 0;
    table->second = NULL;
    for (long i = 0; i < 50; ++i) {
        struct node* node = malloc(sizeof *node);
        node->value = i;
        node->twice = 2 * i;
        node->number = (int)i;
        table->first = node;
        sum = sum * 3 + first_of(&table->second)->twice + node->value + node->number;
        free(first_of(&table->second));
    }
    free(table);
    printf("%ld\n", sum);
    return 0;
}
