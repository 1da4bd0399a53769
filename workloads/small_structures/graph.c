// A directed graph: each node has two neighbours, the next in the given order and one drawn at random. A walk
// goes from neighbour to neighbour along the first edges, and does what it does to both ends of the second.
#include <stdlib.h>

#include "workloads/memory.h"
#include "workloads/random.h"
#include "workloads/small_structures/structure.h"

struct node {
    struct node *next, *other;
    uint64_t value, weight, height, age;
    uint64_t unused[2];
};

struct structure {
    struct node* first;
};

struct structure* structure_make(const size_t* order, size_t count) {
    struct node** nodes = or_exit(malloc(count * sizeof *nodes));
    for (size_t i = 0; i < count; ++i) {
        nodes[i] = or_exit(malloc(sizeof *nodes[i]));
        *nodes[i] = (struct node){NULL, NULL, i, i + 1, i + 2, i + 3, {i, i}};
    }
    uint64_t random = random_begin(2);
    for (size_t i = 0; i < count; ++i) {
        struct node* at = nodes[order[i]];
        at->next = i + 1 < count ? nodes[order[i + 1]] : NULL;
        at->other = nodes[random_below(&random, count)];
    }
    struct structure* made = or_exit(malloc(sizeof *made));
    made->first = nodes[order[0]];
    free(nodes);
    return made;
}

void structure_release(struct structure* structure) {
    for (struct node *at = structure->first, *next; at != NULL; at = next) {
        next = at->next;
        free(at);
    }
    free(structure);
}

uint64_t structure_read_one(const struct structure* structure) {
    uint64_t sum = 0;
    for (const struct node* at = structure->first; at != NULL; at = at->next) {
        sum += at->value + at->other->value;
    }
    return sum;
}

static uint64_t sum_of(const struct node* at) {
    return at->value + at->weight + at->height + at->age;
}

uint64_t structure_read_several(const struct structure* structure) {
    uint64_t sum = 0;
    for (const struct node* at = structure->first; at != NULL; at = at->next) {
        sum += sum_of(at) + sum_of(at->other);
    }
    return sum;
}

uint64_t structure_write(struct structure* structure) {
    uint64_t sum = 0;
    for (struct node* at = structure->first; at != NULL; at = at->next) {
        sum += at->value++;
        sum += at->other->value++;
    }
    return sum;
}
