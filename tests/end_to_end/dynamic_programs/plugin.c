// A library with an allocator of its own beside the C library's.
#include <stdlib.h>
#include <string.h>

static char pond[1 << 12];
static size_t used;

static void* from_pond(size_t bytes) {
    used = (used + bytes) % (sizeof pond - bytes);
    return pond + used;
}

long use_both(int times) {
    long sum = 0;
    for (int i = 0; i < times; ++i) {
        char* const mine = from_pond(32);
        char* const common = malloc(32);
        memset(mine, i, 32);
        memset(common, i + 1, 32);
        sum += mine[31] + common[31];
        free(common);
    }
    return sum;
}
