// One call site, first of one size, then of many.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { objects = 200000, alike = 50000, held = 256 };

int main(void) {
    static unsigned char* kept[held];
    unsigned long seed = 1;
    unsigned long sum = 0;
    for (long i = 0; i < objects; ++i) {
        seed = seed * 6364136223846793005UL + 1442695040888963407UL;
        const size_t bytes = i < alike ? 48 : 1 + (seed >> 33) % 300;
        unsigned char* const object = malloc(bytes);
        memset(object, (int)(i & 0xff), bytes);
        sum += object[bytes - 1];
        free(kept[i % held]);
        kept[i % held] = object;
    }
    for (int i = 0; i < held; ++i) sum += *kept[i];
    printf("%lu\n", sum);
    return 0;
}
