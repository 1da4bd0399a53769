// Walks that touch six of the eight fields: the link, the count, and four others.
#include <stddef.h>

#include "workloads/llu/lists.h"

static uint64_t sum_of_others(const struct element* at) {
    return (at->made_in_walk ^ at->list) + (at->first ^ at->second);
}

uint64_t walk(const struct list* list) {
    uint64_t sum = 0;
    for (const struct element* at = list->head; at != NULL; at = at->next) {
        sum += at->count + sum_of_others(at);
    }
    return sum;
}

uint64_t walk_dirtying(struct list* list) {
    uint64_t sum = 0;
    for (struct element* at = list->head; at != NULL; at = at->next) {
        sum += at->count++ + sum_of_others(at);
    }
    return sum;
}
