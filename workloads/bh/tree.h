// bh's octree: made anew in every step, of cells that come from the program's own list of free ones.
#ifndef WORKLOADS_BH_TREE_H
#define WORKLOADS_BH_TREE_H

#include "workloads/bh/nodes.h"

enum { most_groups = 64, most_processors = 64 };

/// All bodies, and the tree over them; 1064 bytes, one request.
struct tree {
    double least[dimensions];  ///< the corner of the cube that the tree divides
    double size;               ///< of the cube's edges
    struct node* root;
    struct body* groups[most_groups];  ///< the first of each group that was made; all are linked by next
    struct body* processors[most_processors];  ///< of one processor's bodies, linked by processor_next
};

/// A tree without bodies over a cube of `size` round the origin. Ends the process where memory runs out.
struct tree* make_tree(double size);

/// Makes the tree of where the processor's bodies are now. Ends the process where memory runs out, where two
/// bodies are at one place and where one has left all bounds.
void fill_tree(struct tree* tree);

/// Puts all cells on the list of free ones.
void empty_tree(struct tree* tree);

/// Cells below and at a node, itself counted in.
int count_cells(const struct node* node);

#endif
