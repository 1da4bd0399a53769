// reallocarray makes an array longer; more bytes than there are numbers are refused, and leave it as it was.
//
// proves: 0 pool  reason: made larger or smaller
#define _GNU_SOURCE
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

struct item {
    long key;
    int count;
};

static volatile size_t too_many = SIZE_MAX / sizeof(struct item) + 2;

int main(void) {
    struct item* items = NULL;
    long sum = 0;
    unsigned room = 0;
    for (unsigned i = 0; i < 1000; ++i) {
        if (i == room) {
            room = 2 * room + 4;
            items = reallocarray(items, room, sizeof *items);
        }
        items[i].key = i;
        items[i].count = (int)i * 3;
    }
    errno = 0;
    struct item* none = reallocarray(items, too_many, sizeof *items);
    printf("%d %d\n", none == NULL, errno == ENOMEM);
    for (unsigned i = 0; i < 1000; ++i) {
        sum = sum * 31 + items[i].key + items[i].count;
    }
    free(items);
    printf("%ld\n", sum);
    return 0;
}
