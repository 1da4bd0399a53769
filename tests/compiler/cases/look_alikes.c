// Two structures of one layout, mixed by a cast: their objects are one set.
// proves: 24 split
// graph: head is global
// graph: fruit is heap 24
// graph: head+0 -> fruit+0
// graph: fruit+0 -> fruit+0
#include <stdio.h>
#include <stdlib.h>

struct apple {
    struct apple* next;
    long weight;
    int colour;
};

struct pear {
    struct apple* next;
    long weight;
    int shape;
} __attribute__((may_alias));

static struct apple* head;

int main(void) {
    for (int i = 0; i < 100; ++i) {
        if (i % 2 == 0) {
            struct apple* apple = malloc(sizeof *apple);
            apple->next = head;
            apple->weight = i;
            apple->colour = 2 * i;
            head = apple;
        } else {
            struct pear* pear = malloc(sizeof *pear);
            pear->next = head;
            pear->weight = 3 * i;
            pear->shape = 4 * i;
            head = (struct apple*)pear;
        }
    }
    long sum = 0;
    for (struct pear* node = (struct pear*)head; node != NULL; node = (struct pear*)node->next) {
        sum = sum * 31 + node->weight + node->shape;
    }
    printf("%ld\n", sum);
    return 0;
}
