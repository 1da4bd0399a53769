// bh's structures: bodies and the cells of the octree over them, both known by a pointer to the node that
// they begin with.
#ifndef WORKLOADS_BH_NODES_H
#define WORKLOADS_BH_NODES_H

enum { dimensions = 3, octants = 1 << dimensions };

enum node_type { body_type = 1, cell_type = 2 };

/// What bodies and cells begin with, 48 bytes. The type says to what a pointer to it is cast. The original
/// repeats these fields in both; as a member they have the same places, and C allows the casts.
struct node {
    short type;
    double mass;
    double position[dimensions];  ///< of a cell the centre of the masses in it
    int processor;                ///< always 0, as with one processor in the original
    int new_processor;            ///< the same; not written in cells
};

/// 144 bytes.
struct body {
    struct node node;
    double velocity[dimensions];
    double acceleration[dimensions];
    double new_acceleration[dimensions];
    double potential;
    struct body* next;            ///< in the order of requests
    struct body* processor_next;  ///< of the bodies of a processor, the latest first
};

/// A cube of space that has bodies in at least two of its octants, or in one that is divided further; 120
/// bytes.
struct cell {
    struct node node;
    struct node* octants[octants];  ///< bodies, cells or NULL
    struct cell* next;              ///< of the cells that are free
};

#endif
