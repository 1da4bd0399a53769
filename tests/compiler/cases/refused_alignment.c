// An alignment that posix_memalign refuses: no object comes, and where there is none another request helps.
// proves: 24 no  reason: pools do not replace
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

struct node {
    struct node* next;
    long value, weight;
};

int main(void) {
    struct node* head = NULL;
    long refused = 0, sum = 0;
    for (long i = 0; i < 100; ++i) {
        void* room = NULL;
        if (posix_memalign(&room, 4, sizeof(struct node)) == EINVAL) {
            ++refused;
            continue;
        }
        struct node* node = room;
        *node = (struct node){head, i, 2 * i};
        head = node;
    }
    while (head != NULL) {
        struct node* next = head->next;
        sum += head->value + head->weight;
        free(head);
        head = next;
    }
    printf("%ld %ld\n", refused, sum);
    return 0;
}
