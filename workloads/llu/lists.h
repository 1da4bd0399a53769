// The lists of llu, and the walks of one of them: two_fields.c and six_fields.c are two ways to go about it.
#ifndef WORKLOADS_LLU_LISTS_H
#define WORKLOADS_LLU_LISTS_H

#include <stdbool.h>
#include <stdint.h>

/// 64 bytes.
struct element {
    struct element* next;
    uint64_t count;
    uint64_t made_in_walk;
    uint64_t list;
    uint64_t first, second, third, fourth;
};

struct list {
    struct element *head, *tail;
};

/// The sum of what the walk reads of a list's elements.
uint64_t walk(const struct list* list);

/// The same, and adds 1 to each count.
uint64_t walk_dirtying(struct list* list);

#endif
