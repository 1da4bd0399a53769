// A singly linked list.
#include <stdlib.h>

#include "workloads/memory.h"
#include "workloads/small_structures/structure.h"

struct node {
    struct node* next;
    uint64_t value, weight, height, age;
    uint64_t unused[3];
};

struct structure {
    struct node* head;
};

struct structure* structure_make(const size_t* order, size_t count) {
    struct node** nodes = or_exit(malloc(count * sizeof *nodes));
    for (size_t i = 0; i < count; ++i) {
        nodes[i] = or_exit(malloc(sizeof *nodes[i]));
        *nodes[i] = (struct node){NULL, i, i + 1, i + 2, i + 3, {i, i, i}};
    }
    for (size_t i = 0; i + 1 < count; ++i) nodes[order[i]]->next = nodes[order[i + 1]];
    struct structure* made = or_exit(malloc(sizeof *made));
    made->head = nodes[order[0]];
    free(nodes);
    return made;
}

void structure_release(struct structure* structure) {
    for (struct node *at = structure->head, *next; at != NULL; at = next) {
        next = at->next;
        free(at);
    }
    free(structure);
}

uint64_t structure_read_one(const struct structure* structure) {
    uint64_t sum = 0;
    for (const struct node* at = structure->head; at != NULL; at = at->next) sum += at->value;
    return sum;
}

uint64_t structure_read_several(const struct structure* structure) {
    uint64_t sum = 0;
    for (const struct node* at = structure->head; at != NULL; at = at->next) {
        sum += at->value + at->weight + at->height + at->age;
    }
    return sum;
}

uint64_t structure_write(struct structure* structure) {
    uint64_t sum = 0;
    for (struct node* at = structure->head; at != NULL; at = at->next) sum += at->value++;
    return sum;
}
