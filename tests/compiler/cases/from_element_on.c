// Bytes from a variable element of an array within the object to behind the array.
// proves: 64 no  reason: cannot be told apart
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct leaf {
    long a, b, c;
};

struct node {
    struct node* next;
    struct leaf* leaves[4];
    struct leaf* tail;
    long x, y;
};

static volatile int two = 2;

struct out {
    struct leaf* of[3];
};

static struct node* head;

static struct leaf* leaf_of(long value) {
    struct leaf* leaf = malloc(sizeof *leaf);
    leaf->a = value;
    leaf->b = 2 * value;
    leaf->c = 3 * value;
    return leaf;
}

__attribute__((noinline)) static void copy(struct out* out, struct node* node, int at) {
    memcpy(out, (char*)node + 8 + 8 * (at & 3), sizeof *out);
}

int main(void) {
    long sum = 0;
    for (int i = 0; i < 20; ++i) {
        struct node* node = malloc(sizeof *node);
        node->next = head;
        for (int j = 0; j < 4; ++j) {
            node->leaves[j] = leaf_of(i * 10 + j);
        }
        node->tail = leaf_of(1000 + i);
        node->x = i;
        node->y = 2 * i;
        head = node;
    }
    for (struct node* node = head; node != NULL; node = node->next) {
        struct out out;
        copy(&out, node, two);
        sum = sum * 31 + out.of[0]->a + out.of[1]->b + out.of[2]->c + node->x + node->tail->b;
    }
    printf("%ld\n", sum);
    return 0;
}
