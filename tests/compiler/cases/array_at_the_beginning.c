// An array, and nothing else: the pointer to the object is one to its elements, too.
// shows: array_without_end
// proves: 64 pool  reason: an array begins where it does
#include <stdio.h>
#include <stdlib.h>

static long* rows[50];
static volatile int which;

int main(void) {
    for (int i = 0; i < 50; ++i) {
        rows[i] = calloc(8, sizeof *rows[i]);
        rows[i][i & 7] = i;
        rows[i][5 * i & 7] += 3 * i;
    }
    long sum = 0;
    for (int i = 0; i < 50; ++i) {
        which = which + 1;
        sum = sum * 31 + rows[i][which & 7] + rows[i][i & 7];
        free(rows[i]);
    }
    printf("%ld\n", sum);
    return 0;
}
