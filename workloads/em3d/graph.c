// Makes the graph in the original's steps: tables and nodes of both sides, then the neighbours of one side
// and of the other, then the arrays whose lengths are known only now, then their contents.
#include "workloads/em3d/graph.h"

#include <stdbool.h>
#include <stdlib.h>

#include "workloads/memory.h"
#include "workloads/random.h"

/// A table of new nodes, each linked to the next and given a random value.
static struct node** make_table(uint32_t nodes, uint64_t* random) {
    struct node** table = or_exit(malloc(nodes * sizeof *table));
    double* values = or_exit(malloc(nodes * sizeof *values));
    for (uint32_t i = 0; i < nodes; ++i) {
        table[i] = or_exit(malloc(sizeof *table[i]));
        values[i] = random_unit(random);
        table[i]->value = &values[i];
        table[i]->next = NULL;
        table[i]->from_count = 0;
        if (i > 0) table[i - 1]->next = table[i];
    }
    return table;
}

static bool holds(struct node* const* nodes, uint32_t count, const struct node* wanted) {
    for (uint32_t i = 0; i < count; ++i) {
        if (nodes[i] == wanted) return true;
    }
    return false;
}

/// Gives every node of the list `degree` nodes of the other side's table.
static void make_neighbours(struct node* list, struct node** table, uint32_t nodes, uint32_t degree,
                            uint64_t* random) {
    for (struct node* at = list; at != NULL; at = at->next) {
        at->to_nodes = or_exit(malloc(degree * sizeof *at->to_nodes));
        for (uint32_t i = 0; i < degree; ++i) {
            struct node* chosen;
            do {
                chosen = table[random_below(random, nodes)];
            } while (holds(at->to_nodes, i, chosen));
            at->to_nodes[i] = chosen;
            ++chosen->from_count;
        }
    }
}

static void make_from_arrays(struct node* list) {
    for (struct node* at = list; at != NULL; at = at->next) {
        size_t count = at->from_count > 0 ? (size_t)at->from_count : 1;
        at->from_values = or_exit(malloc(count * sizeof *at->from_values));
        at->coefficients = or_exit(malloc(count * sizeof *at->coefficients));
        at->from_length = 0;
    }
}

/// Enters every node of the list at the nodes that it leads to.
static void fill_from_arrays(struct node* list, uint32_t degree, uint64_t* random) {
    for (struct node* at = list; at != NULL; at = at->next) {
        for (uint32_t i = 0; i < degree; ++i) {
            struct node* other = at->to_nodes[i];
            int place = other->from_length++;
            other->from_values[place] = at->value;
            other->coefficients[place] = random_unit(random);
        }
    }
}

struct graph random_graph(uint32_t nodes, uint32_t degree, uint64_t seed) {
    uint64_t random = random_begin(seed);
    struct node** magnetic = make_table(nodes, &random);
    struct node** electric = make_table(nodes, &random);
    make_neighbours(magnetic[0], electric, nodes, degree, &random);
    make_neighbours(electric[0], magnetic, nodes, degree, &random);
    make_from_arrays(magnetic[0]);
    make_from_arrays(electric[0]);
    fill_from_arrays(magnetic[0], degree, &random);
    fill_from_arrays(electric[0], degree, &random);
    struct graph made = {electric[0], magnetic[0]};
    free(magnetic);
    free(electric);
    return made;
}
