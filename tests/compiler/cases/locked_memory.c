// A process that locks its memory may have little of it: pools open what fits.
// proves: 24 split
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

struct node {
    struct node* next;
    long value;
    int mark;
};

static volatile int nodes = 1000;

int main(void) {
    const struct rlimit limit = {8 << 20, 8 << 20};
    // Who may lock as much as he likes gives that up.
    if (setrlimit(RLIMIT_MEMLOCK, &limit) != 0 || (getuid() == 0 && setuid(65534) != 0)) {
        return 1;
    }
    if (mlockall(MCL_CURRENT | MCL_FUTURE) != 0) {
        return 2;
    }
    struct node* first = NULL;
    for (int i = 0; i < nodes; ++i) {
        struct node* node = malloc(sizeof *node);
        if (node == NULL) {
            return 3;
        }
        node->next = first;
        node->value = i;
        node->mark = 2 * i;
        first = node;
    }
    long sum = 0;
    for (struct node* node = first; node != NULL; node = node->next) {
        sum += node->value + node->mark;
    }
    printf("%ld\n", sum);
    return 0;
}
