// Objects too large for pools: they would fill a pool with a few of them, and stay the C library's.
// shows: requested_by_none
// proves: 40000 no  reason: in no size
#include <stdio.h>
#include <stdlib.h>

struct page {
    struct page* next;
    long first;
    char text[39976];
    long last;
};

int main(void) {
    struct page* all = NULL;
    for (int i = 0; i < 20; ++i) {
        struct page* made = malloc(sizeof *made);
        made->next = all;
        made->first = i;
        made->last = -3 * i;
        all = made;
    }
    long sum = 0;
    while (all != NULL) {
        struct page* page = all;
        sum = sum * 31 + page->first + page->last;
        all = page->next;
        free(page);
    }
    printf("%ld\n", sum);
    return 0;
}
