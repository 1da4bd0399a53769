#include "workloads/equake/mesh.h"

#include "workloads/random.h"

static int node_at(const int sides[axes], const int place[axes]) {
    return (place[2] * sides[1] + place[1]) * sides[0] + place[0];
}

/// Goes to the next place of a box of `limits`, the first axis first; 0 after the last.
static int next_place(const int limits[axes], int place[axes]) {
    for (int axis = 0; axis < axes; ++axis) {
        if (++place[axis] < limits[axis]) return 1;
        place[axis] = 0;
    }
    return 0;
}

static void place_nodes(struct mesh* mesh, const int sides[axes], double distance) {
    uint64_t state = random_begin(1);
    int place[axes] = {0, 0, 0};
    mesh->position = new_rows(mesh->nodes);
    for (int node = 0; node < mesh->nodes; ++node) {
        double* position = mesh->position[node];
        for (int axis = 0; axis < axes; ++axis) {
            position[axis] = distance * (place[axis] + 0.2 * random_unit(&state) - 0.1);
        }
        next_place(sides, place);
    }
}

/// The corners of one of a cube's 6 tetrahedra: from its first node to its last along the axes in `order`.
static void cut_out(int* vertex, const int sides[axes], const int cube[axes], const int order[axes]) {
    int place[axes] = {cube[0], cube[1], cube[2]};
    for (int corner = 0; corner < corners; ++corner) {
        vertex[corner] = node_at(sides, place);
        if (corner < axes) ++place[order[corner]];
    }
}

static void make_elements(struct mesh* mesh, const int sides[axes]) {
    static const int orders[6][axes] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    int cubes[axes] = {sides[0] - 1, sides[1] - 1, sides[2] - 1};
    int cube[axes] = {0, 0, 0};
    mesh->elements = 6 * cubes[0] * cubes[1] * cubes[2];
    mesh->vertex = or_exit(malloc((size_t)mesh->elements * sizeof *mesh->vertex));
    for (int i = 0; i < mesh->elements; ++i) {
        mesh->vertex[i] = or_exit(malloc(corners * sizeof **mesh->vertex));
    }
    for (int element = 0; element < mesh->elements; ++element) {
        cut_out(mesh->vertex[element], sides, cube, orders[element % 6]);
        if (element % 6 == 5) next_place(cubes, cube);
    }
}

/// Adds the columns of the row of the node at `place`: itself and its neighbours of higher number.
static void make_row(struct mesh* mesh, const int sides[axes], const int place[axes]) {
    static const int two[axes] = {2, 2, 2};
    int step[axes] = {0, 0, 0};
    do {
        int other[axes];
        int inside = 1;
        for (int axis = 0; axis < axes; ++axis) {
            other[axis] = place[axis] + step[axis];
            inside &= other[axis] < sides[axis];
        }
        if (inside) mesh->column[mesh->blocks++] = node_at(sides, other);
    } while (next_place(two, step));
}

static void make_pattern(struct mesh* mesh, const int sides[axes]) {
    size_t most = (size_t)(2 * sides[0] - 1) * (size_t)(2 * sides[1] - 1) * (size_t)(2 * sides[2] - 1);
    mesh->column = or_exit(malloc(most * sizeof *mesh->column));
    mesh->row = or_exit(malloc((size_t)(mesh->nodes + 1) * sizeof *mesh->row));
    int place[axes] = {0, 0, 0};
    do {
        mesh->row[node_at(sides, place)] = mesh->blocks;
        make_row(mesh, sides, place);
    } while (next_place(sides, place));
    mesh->row[mesh->nodes] = mesh->blocks;
}

struct mesh make_mesh(const int sides[axes], double distance) {
    struct mesh mesh = {.nodes = sides[0] * sides[1] * sides[2]};
    place_nodes(&mesh, sides, distance);
    make_elements(&mesh, sides);
    make_pattern(&mesh, sides);
    return mesh;
}
