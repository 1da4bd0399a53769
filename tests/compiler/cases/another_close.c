// A function in code that is not seen has the name of one of the C library's, and does something else.
// beside: foreign/another_close.c
// proves: 24 no  reason: code that is not seen
#include <stdio.h>
#include <stdlib.h>

struct record {
    long first, second;
    struct record* next;
};

struct record* close(struct record* record);

int main(void) {
    struct record* list = NULL;
    unsigned long sum = 0;
    for (long i = 0; i < 100; ++i) {
        struct record* record = malloc(sizeof *record);
        *record = (struct record){i, 7 * i, list};
        list = record;
        struct record* before = close(record);
        if (before != NULL) {
            sum = sum * 31 + (unsigned long)(before->first + before->second);
        }
    }
    for (struct record* next = NULL; list != NULL; list = next) {
        sum = 17 * sum + (unsigned long)(list->second - list->first);
        next = list->next;
        free(list);
    }
    printf("%lu\n", sum);
    return 0;
}
