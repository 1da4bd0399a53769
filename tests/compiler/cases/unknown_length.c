// As many bytes of objects are copied and cleared as a number says.
// shows: accessed_unknown_length
// proves: 40 pool  reason: as many bytes of it are accessed as nobody knows
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct node {
    long value, weight;
    int mark, other;
    double share;
    long last;
};

static struct node* nodes[50];
static volatile size_t length = sizeof(struct node);

int main(void) {
    struct node pattern = {1, 2, 3, 4, 5.5, 6};
    for (int i = 0; i < 50; ++i) {
        nodes[i] = malloc(sizeof(struct node));
        memcpy(nodes[i], &pattern, length);
        nodes[i]->value += i;
        nodes[i]->last += 2 * i;
    }
    memset(nodes[7], 0, length / 2);
    memcpy(nodes[9], nodes[11], length);
    long sum = 0;
    for (int i = 0; i < 50; ++i) {
        sum = sum * 31 + nodes[i]->value + nodes[i]->weight * 3 + nodes[i]->mark + nodes[i]->other +
              (long)nodes[i]->share + nodes[i]->last;
        free(nodes[i]);
    }
    printf("%ld\n", sum);
    return 0;
}
