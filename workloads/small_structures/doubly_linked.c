// A doubly linked list. Each walk goes to its end and back: what it does, it does on the way back.
#include <stdlib.h>

#include "workloads/memory.h"
#include "workloads/small_structures/structure.h"

struct node {
    struct node *next, *previous;
    uint64_t value, weight, height, age;
    uint64_t unused[2];
};

struct structure {
    struct node* head;
};

struct structure* structure_make(const size_t* order, size_t count) {
    struct node** nodes = or_exit(malloc(count * sizeof *nodes));
    for (size_t i = 0; i < count; ++i) {
        nodes[i] = or_exit(malloc(sizeof *nodes[i]));
        *nodes[i] = (struct node){NULL, NULL, i, i + 1, i + 2, i + 3, {i, i}};
    }
    for (size_t i = 0; i + 1 < count; ++i) {
        nodes[order[i]]->next = nodes[order[i + 1]];
        nodes[order[i + 1]]->previous = nodes[order[i]];
    }
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

static struct node* last_of(const struct structure* structure) {
    struct node* at = structure->head;
    while (at->next != NULL) at = at->next;
    return at;
}

uint64_t structure_read_one(const struct structure* structure) {
    uint64_t sum = 0;
    for (const struct node* at = last_of(structure); at != NULL; at = at->previous) sum += at->value;
    return sum;
}

uint64_t structure_read_several(const struct structure* structure) {
    uint64_t sum = 0;
    for (const struct node* at = last_of(structure); at != NULL; at = at->previous) {
        sum += at->value + at->weight + at->height + at->age;
    }
    return sum;
}

uint64_t structure_write(struct structure* structure) {
    uint64_t sum = 0;
    for (struct node* at = last_of(structure); at != NULL; at = at->previous) sum += at->value++;
    return sum;
}
