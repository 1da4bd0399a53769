#include "workloads/bh/tree.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include "workloads/bh/vector.h"
#include "workloads/memory.h"

/// Coordinates within the cube have 30 bits, one for each level of the tree.
enum { coordinate_end = 1 << 30 };

static const double greatest_size = 1e9;  ///< of the cube; without gravity bodies come never so far

static struct cell* free_cells = NULL;

static void fail(const char* message) {
    fprintf(stderr, "bh: %s\n", message);
    exit(1);
}

struct tree* make_tree(double size) {
    struct tree* made = or_exit(malloc(sizeof *made));
    *made = (struct tree){.size = size};
    for (int i = 0; i < dimensions; ++i) made->least[i] = -size / 2;
    return made;
}

static struct cell* new_cell(void) {
    struct cell* made = free_cells;
    if (made != NULL) {
        free_cells = made->next;
    } else {
        made = or_exit(malloc(sizeof *made));
    }
    made->node.type = cell_type;
    made->node.processor = 0;
    for (int i = 0; i < octants; ++i) made->octants[i] = NULL;
    return made;
}

static void free_cells_of(struct node* node) {
    if (node == NULL || node->type == body_type) return;
    struct cell* cell = (struct cell*)node;
    for (int i = octants - 1; i >= 0; --i) free_cells_of(cell->octants[i]);
    cell->next = free_cells;
    free_cells = cell;
}

void empty_tree(struct tree* tree) {
    free_cells_of(tree->root);
    tree->root = NULL;
}

/// A position as coordinates within the cube.
struct place {
    int along[dimensions];
};

/// 0 to below 1 where the position is within the cube.
static double share_of_cube(const struct tree* tree, const double* position, int dimension) {
    return (position[dimension] - tree->least[dimension]) / tree->size;
}

static bool is_within(const struct tree* tree, const double* position) {
    for (int i = 0; i < dimensions; ++i) {
        double share = share_of_cube(tree, position, i);
        if (!(share >= 0 && share < 1)) return false;
    }
    return true;
}

static struct place place_of(const struct tree* tree, const double* position) {
    struct place place;
    for (int i = 0; i < dimensions; ++i) {
        place.along[i] = (int)((double)coordinate_end * share_of_cube(tree, position, i));
    }
    return place;
}

/// Which octant of a cell the place is in, whose level is that of the bit.
static int octant_of(struct place place, int bit) {
    int octant = 0;
    for (int i = 0; i < dimensions; ++i) octant = 2 * octant + ((place.along[i] & bit) != 0);
    return octant;
}

/// Doubles the cube towards the position until that is within; what the tree has becomes an octant of a new
/// root each time.
static void widen(struct tree* tree, const double* position) {
    while (!is_within(tree, position)) {
        double middle[dimensions];
        if (!(tree->size < greatest_size)) fail("a body has left all bounds");
        for (int i = 0; i < dimensions; ++i) {
            middle[i] = tree->least[i] + tree->size / 2;
            if (position[i] < middle[i]) tree->least[i] -= tree->size;
        }
        tree->size *= 2;
        if (tree->root == NULL) continue;
        struct cell* root = new_cell();
        root->octants[octant_of(place_of(tree, middle), coordinate_end / 2)] = tree->root;
        tree->root = (struct node*)root;
    }
}

/// Puts a body below a node; returns what stands in the node's stead then. A body there is put into a new
/// cell first.
static struct node* insert(const struct tree* tree, struct body* body, struct place place, struct node* node,
                           int bit) {
    if (node == NULL) return (struct node*)body;
    if (bit == 0) fail("two bodies are at one place");
    if (node->type == body_type) {
        struct cell* divided = new_cell();
        divided->octants[octant_of(place_of(tree, node->position), bit)] = node;
        node = (struct node*)divided;
    }
    struct cell* cell = (struct cell*)node;
    int octant = octant_of(place, bit);
    cell->octants[octant] = insert(tree, body, place, cell->octants[octant], bit / 2);
    return node;
}

/// Gives every cell the mass of what is in it, and the centre of that; returns the node's mass.
static double add_masses(struct node* node) {
    if (node->type == body_type) return node->mass;
    double mass = 0;
    double moment[dimensions] = {0};
    const struct cell* cell = (const struct cell*)node;
    for (int i = 0; i < octants; ++i) {
        struct node* below = cell->octants[i];
        if (below == NULL) continue;
        double of_below = add_masses(below);
        mass += of_below;
        add_times(moment, of_below, below->position);
    }
    node->mass = mass;
    for (int i = 0; i < dimensions; ++i) node->position[i] = moment[i] / mass;
    return mass;
}

void fill_tree(struct tree* tree) {
    for (struct body* at = tree->processors[0]; at != NULL; at = at->processor_next) {
        widen(tree, at->node.position);
        struct place place = place_of(tree, at->node.position);
        tree->root = insert(tree, at, place, tree->root, coordinate_end / 2);
    }
    add_masses(tree->root);
}

int count_cells(const struct node* node) {
    if (node == NULL || node->type == body_type) return 0;
    const struct cell* cell = (const struct cell*)node;
    int cells = 1;
    for (int i = 0; i < octants; ++i) cells += count_cells(cell->octants[i]);
    return cells;
}
