// Functions of the program have the C library write what they are given as text: a message with its
// arguments, straight or by way of another function, and into a place of their own.
//
// proves: 40 pool  reason: given to a function of a library
// proves: 24 split
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct named {
    struct named* next;
    long value;
    char name[24];
};

struct holder {
    struct named* first;
    long count, unused;
};

static struct holder* all;

__attribute__((noinline)) static void tell_list(const char* what, const char* format, va_list arguments) {
    printf("%s: ", what);
    vprintf(format, arguments);
}

__attribute__((noinline)) static int tell(struct holder* to, const char* format, ...) {
    va_list arguments;
    va_start(arguments, format);
    tell_list("told", format, arguments);
    va_end(arguments);
    return (int)++to->count;
}

__attribute__((noinline)) static struct named* written(struct named* to, const char* format, ...) {
    va_list arguments, again;
    va_start(arguments, format);
    va_copy(again, arguments);
    vsnprintf(to->name, sizeof to->name, format, arguments);
    if (vsnprintf(NULL, 0, format, again) > 20) to->value = -1;
    va_end(again);
    va_end(arguments);
    return to;
}

int main(void) {
    all = calloc(1, sizeof *all);
    for (int i = 0; i < 50; ++i) {
        struct named* made = malloc(sizeof *made);
        made->value = i;
        made->next = all->first;
        all->first = written(made, "%s %d", i % 3 == 0 ? "a third of them" : "other", i);
    }
    for (struct named* each = all->first; each != NULL; each = each->next) {
        tell(all, "%s has %ld\n", each->name, each->value);
    }
    printf("%ld\n", all->count);
    while (all->first != NULL) {
        struct named* gone = all->first;
        all->first = gone->next;
        free(gone);
    }
    free(all);
    return 0;
}
