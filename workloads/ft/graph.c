#include "workloads/ft/graph.h"

#include <stdbool.h>
#include <stddef.h>

#include "workloads/memory.h"
#include "workloads/random.h"

static struct vertex* new_vertex(int id) {
    struct vertex* made = or_exit(malloc(sizeof *made));
    *made = (struct vertex){.id = id};
    return made;
}

static void add_edge(struct vertex* source, struct vertex* target, int weight) {
    struct edge* made = or_exit(malloc(sizeof *made));
    made->weight = weight;
    made->source = source;
    made->target = target;
    made->next = source->edges;
    source->edges = made;
}

static void join(struct vertex* one, struct vertex* other, uint64_t* state) {
    int weight = (int)random_below(state, weights);
    add_edge(one, other, weight);
    add_edge(other, one, weight);
}

static bool are_joined(const struct vertex* one, const struct vertex* other) {
    for (const struct edge* at = one->edges; at != NULL; at = at->next) {
        if (at->target == other) return true;
    }
    return false;
}

/// Fills `all` with the ring's vertices.
static void grow_tree(struct vertex** all, uint32_t vertices, uint64_t* state) {
    all[0] = new_vertex(0);
    for (uint32_t i = 1; i < vertices; ++i) {
        all[i] = new_vertex((int)i);
        all[i - 1]->next = all[i];
        join(all[i], all[random_below(state, i)], state);
    }
    all[vertices - 1]->next = all[0];
}

static void add_random_edge(struct vertex** all, uint32_t vertices, uint64_t* state) {
    struct vertex* one;
    struct vertex* other;
    do {
        uint64_t first = random_below(state, vertices);
        uint64_t second = first + 1 + random_below(state, vertices - 1);
        one = all[first];
        other = all[second % vertices];
    } while (are_joined(one, other));
    join(one, other, state);
}

struct vertex* random_graph(uint32_t vertices, uint64_t edges, uint64_t seed) {
    uint64_t state = random_begin(seed);
    struct vertex** all = or_exit(malloc(vertices * sizeof *all));
    grow_tree(all, vertices, &state);
    for (uint64_t made = vertices - 1; made < edges; ++made) add_random_edge(all, vertices, &state);
    struct vertex* first = all[0];
    free(all);
    return first;
}
