// A function that takes more arguments than it names gives an object back.
// shows: returned_to_other_code
// proves: 24 no  reason: is returned to other code
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

struct item {
    long a, b, c;
};

static struct item* known[8];

__attribute__((noinline)) static struct item* choose(int count, ...) {
    va_list arguments;
    va_start(arguments, count);
    int at = 0;
    for (int i = 0; i < count; ++i) {
        at += va_arg(arguments, int);
    }
    va_end(arguments);
    return known[at & 7];
}

int main(void) {
    for (int i = 0; i < 8; ++i) {
        known[i] = malloc(sizeof(struct item));
        known[i]->a = i;
        known[i]->b = 2 * i;
        known[i]->c = 3 * i;
    }
    long sum = 0;
    for (int i = 0; i < 20; ++i) {
        struct item* item = choose(2, i, 2 * i);
        item->b += i;
        item->c += 2 * i;
    }
    for (int i = 0; i < 8; ++i) {
        sum = sum * 31 + known[i]->a + 10 * known[i]->b + 100 * known[i]->c;
    }
    printf("%ld\n", sum);
    return 0;
}
