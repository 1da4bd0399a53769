// A function of the program writes an address as text, by a format that it is given, and it is read again.
// proves: 16 no  reason: a calculated address may lead to it
// proves: 24 no
#include <stdarg.h>

#include "hidden_parents.h"

static char numbers[16][32];

__attribute__((noinline)) static void write_number(char* to, size_t bytes, const char* format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(to, bytes, format, arguments);
    va_end(arguments);
}

static void hide(int at, struct parent* p) {
    write_number(numbers[at], sizeof numbers[at], at % 2 == 0 ? "%lu" : "%20lu", (unsigned long)p);
}
static struct parent* find(int at) {
    return (struct parent*)strtoul(numbers[at], NULL, 10);
}
