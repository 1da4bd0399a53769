// A list that is built, walked and freed, five times: one call site, one size.
#include <stdio.h>
#include <stdlib.h>

struct node {
    struct node* next;
    long value[3];
};

static long build_and_free(long nodes) {
    struct node* list = NULL;
    for (long i = 0; i < nodes; ++i) {
        struct node* const fresh = malloc(sizeof *fresh);
        *fresh = (struct node){list, {i, i + 1, i + 2}};
        list = fresh;
    }
    long sum = 0;
    while (list != NULL) {
        struct node* const next = list->next;
        sum += list->value[0] ^ list->value[2];
        free(list);
        list = next;
    }
    return sum;
}

int main(void) {
    long sum = 0;
    for (int round = 0; round < 5; ++round) sum += build_and_free(20000);
    printf("%ld\n", sum);
    return 0;
}
