// Functions of the program that have more made of what they are given than text: one hands it to a function
// that keeps the first of it, another lets a third one find the list by its address.
//
// proves: 24 no  reason: is given to code that is not seen
// proves: 32 no
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

struct node {
    struct node* next;
    long value, seen;
};

struct other {
    long value, a, b;
    struct other* next;
};

static struct node* kept;
static va_list* listed;

__attribute__((noinline)) static void keep(const char* format, va_list arguments) {
    va_list again;
    va_copy(again, arguments);
    kept = va_arg(again, struct node*);
    va_end(again);
    vprintf(format, arguments);
}

__attribute__((noinline)) static void tell(const char* format, ...) {
    va_list arguments;
    va_start(arguments, format);
    keep(format, arguments);
    va_end(arguments);
}

__attribute__((noinline)) static void change_listed(void) {
    va_arg(*listed, struct other*)->a += 7;
}

__attribute__((noinline)) static void change(const char* format, ...) {
    va_list arguments;
    va_start(arguments, format);
    listed = &arguments;
    change_listed();
    va_end(arguments);
    va_start(arguments, format);
    printf("%d\n", vsnprintf(NULL, 0, format, arguments) > 0);
    va_end(arguments);
}

int main(void) {
    struct node* list = NULL;
    for (long i = 0; i < 20; ++i) {
        struct node* made = malloc(sizeof *made);
        *made = (struct node){list, i, 2 * i};
        list = made;
    }
    struct other* others = NULL;
    for (long i = 0; i < 20; ++i) {
        struct other* made = malloc(sizeof *made);
        *made = (struct other){i, 2 * i, 3 * i, others};
        others = made;
        change("%p", (void*)made);
    }
    long sum = 0;
    for (struct node* each = list; each != NULL; each = each->next) {
        tell("%.0s", (char*)each);
        kept->seen += kept->value;
        sum = sum * 31 + each->seen;
    }
    for (struct other* each = others; each != NULL; each = each->next) {
        sum = sum * 31 + each->value + each->a + each->b;
    }
    printf("%ld\n", sum);
    return 0;
}
