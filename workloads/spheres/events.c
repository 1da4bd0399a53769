#include "workloads/spheres/events.h"

#include <stdlib.h>

/// Both are alone or first; either may be NULL.
static struct event* joined(struct event* a, struct event* b) {
    if (a == NULL) return b;
    if (b == NULL) return a;
    struct event *first = b->time < a->time ? b : a, *second = b->time < a->time ? a : b;
    second->beside = first->below;
    first->below = second;
    return first;
}

struct event* with_event(struct event* queue, struct event* event) {
    event->below = NULL;
    event->beside = NULL;
    return joined(queue, event);
}

/// Those in a row, two and two; the last pair is the first of the list that it gives.
static struct event* in_pairs(struct event* row) {
    struct event* pairs = NULL;
    while (row != NULL) {
        struct event *a = row, *b = row->beside;
        row = b == NULL ? NULL : b->beside;
        struct event* pair = joined(a, b);
        pair->beside = pairs;
        pairs = pair;
    }
    return pairs;
}

struct event* without_first(struct event* queue) {
    struct event* left = NULL;
    for (struct event *at = in_pairs(queue->below), *next; at != NULL; at = next) {
        next = at->beside;
        left = joined(left, at);
    }
    return left;
}

void release_events(struct event* queue) {
    while (queue != NULL) {
        struct event* first = queue;
        queue = without_first(queue);
        free(first);
    }
}
