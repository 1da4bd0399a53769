// strtol's end pointer leads into the text; the only pointer that is left of it. Legal: end == text where
// proves: 32 pool  reason: given to a function of a library
// there are no digits.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
__attribute__((noinline)) static char* take(const char* from) {
    char *text = malloc(32), *end;
    strcpy(text, from);
    long v = strtol(text, &end, 10);
    printf("%ld\n", v);
    return end;
}
int main(void) {
    char* rest = take("abc");
    putchar(*rest);
    putchar('\n');
    free(rest);
    char* more = take("12x");
    putchar(*more);
    putchar('\n');
    return 0;
}
