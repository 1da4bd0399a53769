// Objects whose addresses alone are used: there is nothing in them to split.
// shows: never_accessed
// proves: 24 pool  reason: is never accessed
#include <stdio.h>
#include <stdlib.h>

static void* marks[50];

__attribute__((noinline)) static int number_of(const void* mark) {
    for (int i = 0; i < 50; ++i) {
        if (marks[i] == mark) {
            return i;
        }
    }
    return -1;
}

int main(void) {
    for (int i = 0; i < 50; ++i) {
        marks[i] = malloc(24);
    }
    long sum = 0;
    for (int i = 0; i < 50; i += 3) {
        sum = sum * 31 + number_of(marks[i]);
    }
    for (int i = 0; i < 50; ++i) {
        free(marks[i]);
    }
    printf("%ld\n", sum);
    return 0;
}
