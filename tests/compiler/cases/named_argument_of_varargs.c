// A function that takes more arguments than it names stores an object where its named argument leads.
// shows: comes_from_other_code
// proves: 24 no  reason: other code sees
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

struct item {
    long a, b, c;
};

struct holder {
    long count;
    struct item* item;
};

static struct holder holders[8];

__attribute__((noinline)) static void fill(struct holder* holder, int count, ...) {
    va_list arguments;
    va_start(arguments, count);
    struct item* item = malloc(sizeof *item);
    item->a = count;
    item->b = va_arg(arguments, int);
    item->c = va_arg(arguments, int);
    va_end(arguments);
    holder->item = item;
}

int main(void) {
    long sum = 0;
    for (int i = 0; i < 8; ++i) {
        fill(&holders[i], 2, i, 3 * i);
    }
    for (int i = 0; i < 8; ++i) {
        sum = sum * 31 + holders[i].item->a + 10 * holders[i].item->b + 100 * holders[i].item->c;
    }
    printf("%ld\n", sum);
    return 0;
}
