// Functions of the program's own that have names of the C library's, and do other things.
// proves: 24 no  reason: is given to code that is not seen
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

struct record {
    long first, second;
    struct record* next;
};

__attribute__((noinline)) static void log(struct record* record, ...) {
    va_list values;
    va_start(values, record);
    record->first = va_arg(values, long);
    record->second = va_arg(values, long);
    va_end(values);
}

__attribute__((weak, noinline)) void close(struct record* record) {
    struct record* behind = record->next;
    record->next = behind->next;
    free(behind);
}

int main(void) {
    struct record* list = NULL;
    for (long i = 0; i < 100; ++i) {
        struct record* record = malloc(sizeof *record);
        record->next = list;
        log(record, i, 7 * i);
        list = record;
    }
    close(list);
    unsigned long sum = 0;
    while (list != NULL) {
        struct record* record = list;
        sum = sum * 31 + (unsigned long)(record->first + record->second);
        list = record->next;
        free(record);
    }
    printf("%lu\n", sum);
    return 0;
}
