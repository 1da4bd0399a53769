// Bytes of addresses that come together as elements of a vector, or in a number of two words.
// proves: 24 no  reason: its address is read in parts
// proves: 32 no  reason: its address is read in parts
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct node {
    struct node* next;
    long value, weight;
};

struct leaf {
    struct leaf* next;
    long a, b, c;
};

typedef unsigned char lanes __attribute__((vector_size(8)));
static volatile unsigned __int128 words;

__attribute__((noinline)) static struct node* node_of(struct node* node) {
    volatile unsigned char* bytes = (volatile unsigned char*)&node;
    lanes found;
    for (int i = 0; i < 8; ++i) {
        found[i] = bytes[i];
    }
    struct node* same;
    memcpy(&same, &found, sizeof same);
    return same;
}

__attribute__((noinline)) static struct leaf* leaf_of(struct leaf* leaf) {
    volatile unsigned char* bytes = (volatile unsigned char*)&leaf;
    unsigned __int128 number = 0;
    for (int i = 0; i < 8; ++i) {
        number |= (unsigned __int128)bytes[i] << (8 * i + 64);
    }
    words = number;
    number = words;
    struct leaf* found[2];
    memcpy(found, &number, sizeof found);
    return found[1];
}

int main(void) {
    struct node* nodes = NULL;
    struct leaf* leaves = NULL;
    for (long i = 0; i < 100; ++i) {
        struct node* node = malloc(sizeof *node);
        *node = (struct node){nodes, i, 3 * i};
        nodes = node;
        struct leaf* leaf = malloc(sizeof *leaf);
        *leaf = (struct leaf){leaves, i, 2 * i, 5 * i};
        leaves = leaf;
    }
    long sum = 0;
    while (nodes != NULL) {
        struct node* next = nodes->next;
        node_of(nodes)->weight += 7;
        sum = 3 * sum + nodes->value + nodes->weight;
        free(node_of(nodes));
        nodes = next;
    }
    while (leaves != NULL) {
        struct leaf* next = leaves->next;
        leaf_of(leaves)->b += 7;
        sum = 3 * sum + leaves->a + leaves->b + leaves->c;
        free(leaf_of(leaves));
        leaves = next;
    }
    printf("%ld\n", sum);
    return 0;
}
