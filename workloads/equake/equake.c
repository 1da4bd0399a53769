// equake WIDTH LENGTH DEPTH STEPS: the shaking of a block of ground around a slipping fault, on a finite
// element mesh of WIDTH x LENGTH x DEPTH nodes, as SPEC CPU2000's equake (Bao et al. 1998; Zhao, Rabbah and
// Wong measure it). Phases: mesh and arrays are made; the elements' stiffnesses are added into the sparse
// symmetric matrix, a column found by walking its row; then STEPS explicit time steps, each a product of the
// matrix with the displacements, row by row in order of allocation, and a pass over the nodes. Prints the
// movement of the node above the fault and the kinetic energy.
//
// Requests, in the original's order: rows of 24 bytes for the positions; of 16 for the elements' vertices; of
// 24 for 9 arrays of nodes; for the matrix 1 of 3 pointers and 3 of 3 doubles per block. Bytes of the C
// library's heap: 404 per node, 40 per element, 140 per block of the matrix; elements = 6 (W-1) (L-1) (D-1)
// and blocks = (2W-1) (2L-1) (2D-1), where the original's mesh has 5 and 7.3 per node.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "workloads/equake/element.h"
#include "workloads/phases.h"

enum { before, now, after, times };

struct ground {
    struct mesh mesh;
    double **mass, **damping;                          ///< lumped: the diagonals
    double **slip_mass, **slip_damping, **slip_force;  ///< what the fault's slip pushes with
    double** velocity;
    double** moved[times];  ///< displacements, the arrays change their roles each step
    block* matrix;          ///< [blocks]
};

static const double distance = 100;     // metres between nodes
static const double step_time = 0.005;  // seconds
static const double rise_time = 0.05;   // seconds, of the slip
static const double damping_rate = 2;   // per second
static const double slip[axes] = {1, 0.5, 0.25};

static block* new_blocks(int count) {
    block* blocks = or_exit(malloc((size_t)count * sizeof *blocks));
    for (int i = 0; i < count; ++i) {
        blocks[i] = or_exit(malloc(axes * sizeof **blocks));
        for (int j = 0; j < axes; ++j) {
            blocks[i][j] = or_exit(malloc(axes * sizeof ***blocks));
            for (int k = 0; k < axes; ++k) blocks[i][j][k] = 0;
        }
    }
    return blocks;
}

static void clear_rows(double** rows, int count) {
    for (int i = 0; i < count; ++i) memset(rows[i], 0, axes * sizeof **rows);
}

static void make_arrays(struct ground* ground) {
    int nodes = ground->mesh.nodes;
    ground->mass = new_rows(nodes);
    ground->damping = new_rows(nodes);
    ground->slip_mass = new_rows(nodes);
    ground->slip_damping = new_rows(nodes);
    ground->slip_force = new_rows(nodes);
    ground->velocity = new_rows(nodes);
    for (int i = 0; i < times; ++i) ground->moved[i] = new_rows(nodes);
    ground->matrix = new_blocks(ground->mesh.blocks);
    double** cleared[] = {ground->mass,          ground->damping,    ground->slip_mass,
                          ground->slip_damping,  ground->slip_force, ground->velocity,
                          ground->moved[before], ground->moved[now], ground->moved[after]};
    for (size_t i = 0; i < sizeof cleared / sizeof *cleared; ++i) clear_rows(cleared[i], nodes);
}

/// The matrix's block for a pair of nodes, row <= column, which are joined.
static block find_block(const struct ground* ground, int row, int column) {
    int at = ground->mesh.row[row];
    while (ground->mesh.column[at] != column) ++at;
    return ground->matrix[at];
}

static void add_stiffness(struct ground* ground, const struct element* element, const int* vertex) {
    for (int a = 0; a < corners; ++a) {
        for (int b = 0; b < corners; ++b) {
            if (vertex[a] > vertex[b]) continue;
            block found = find_block(ground, vertex[a], vertex[b]);
            for (int i = 0; i < axes; ++i) {
                for (int j = 0; j < axes; ++j) found[i][j] += stiffness(element, a, b, i, j);
            }
        }
    }
}

/// Adds what an element at the fault, whose corner `at` slips, pushes with.
static void add_slip(struct ground* ground, const struct element* element, const int* vertex, int at) {
    for (int a = 0; a < corners; ++a) {
        for (int i = 0; i < axes; ++i) {
            for (int j = 0; j < axes; ++j) {
                ground->slip_force[vertex[a]][i] += stiffness(element, a, at, i, j) * slip[j];
            }
        }
    }
}

static void assemble(struct ground* ground, int fault) {
    for (int number = 0; number < ground->mesh.elements; ++number) {
        struct element element = shape_element(&ground->mesh, number);
        const int* vertex = ground->mesh.vertex[number];
        add_stiffness(ground, &element, vertex);
        for (int a = 0; a < corners; ++a) {
            for (int i = 0; i < axes; ++i) ground->mass[vertex[a]][i] += density * element.volume / corners;
            if (vertex[a] == fault) add_slip(ground, &element, vertex, a);
        }
    }
    for (int node = 0; node < ground->mesh.nodes; ++node) {
        for (int i = 0; i < axes; ++i) ground->damping[node][i] = damping_rate * ground->mass[node][i];
    }
    for (int i = 0; i < axes; ++i) {
        ground->slip_mass[fault][i] = ground->mass[fault][i] * slip[i];
        ground->slip_damping[fault][i] = ground->damping[fault][i] * slip[i];
    }
}

/// product += matrix * vector; each block above the diagonal serves for its mirror image too.
static void multiply(const struct mesh* mesh, block* matrix, double** vector, double** product) {
    for (int row = 0; row < mesh->nodes; ++row) {
        double sum[axes] = {0, 0, 0};
        for (int at = mesh->row[row]; at < mesh->row[row + 1]; ++at) {
            int column = mesh->column[at];
            for (int i = 0; i < axes; ++i) {
                for (int j = 0; j < axes; ++j) sum[i] += matrix[at][i][j] * vector[column][j];
            }
            if (column == row) continue;
            for (int i = 0; i < axes; ++i) {
                for (int j = 0; j < axes; ++j) product[column][i] += matrix[at][j][i] * vector[row][j];
            }
        }
        for (int i = 0; i < axes; ++i) product[row][i] += sum[i];
    }
}

struct slip_state {
    double slipped, rate, acceleration;
};

/// How far the fault has slipped, from 0 to 1 in the rise time.
static struct slip_state slip_at(double time) {
    if (time >= rise_time) return (struct slip_state){1, 0, 0};
    double frequency = 2 * 3.141592653589793 / rise_time;
    double angle = frequency * time;
    return (struct slip_state){(angle - sin(angle)) / (frequency * rise_time), (1 - cos(angle)) / rise_time,
                               frequency * sin(angle) / rise_time};
}

/// Central differences: `after` holds the matrix's product, and becomes the displacement after the step.
static void move_node(struct ground* ground, int node, struct slip_state slipping) {
    double squared = step_time * step_time;
    for (int i = 0; i < axes; ++i) {
        double mass = ground->mass[node][i];
        double damped = ground->damping[node][i] * step_time / 2;
        double pushed = ground->slip_mass[node][i] * slipping.acceleration +
                        ground->slip_damping[node][i] * slipping.rate +
                        ground->slip_force[node][i] * slipping.slipped;
        double force = -squared * (ground->moved[after][node][i] + pushed);
        double kept =
            2 * mass * ground->moved[now][node][i] - (mass - damped) * ground->moved[before][node][i];
        ground->moved[after][node][i] = (force + kept) / (mass + damped);
        ground->velocity[node][i] =
            (ground->moved[after][node][i] - ground->moved[before][node][i]) / (2 * step_time);
    }
}

static void step(struct ground* ground, int number) {
    clear_rows(ground->moved[after], ground->mesh.nodes);
    multiply(&ground->mesh, ground->matrix, ground->moved[now], ground->moved[after]);
    struct slip_state slipping = slip_at(number * step_time);
    for (int node = 0; node < ground->mesh.nodes; ++node) move_node(ground, node, slipping);
    double** oldest = ground->moved[before];
    ground->moved[before] = ground->moved[now];
    ground->moved[now] = ground->moved[after];
    ground->moved[after] = oldest;
}

/// Joule.
static double kinetic_energy(const struct ground* ground) {
    double sum = 0;
    for (int node = 0; node < ground->mesh.nodes; ++node) {
        for (int i = 0; i < axes; ++i) {
            sum += ground->mass[node][i] * ground->velocity[node][i] * ground->velocity[node][i] / 2;
        }
    }
    return sum;
}

static void shake(struct ground* ground, int steps) {
    double began = phase_begin();
    for (int i = 1; i <= steps; ++i) step(ground, i);
    phase_end("step_time", began);
}

int main(int count, char** arguments) {
    count = phases_from_arguments(count, arguments);
    int sides[axes] = {0, 0, 0};
    for (int i = 0; i < axes && count == 5; ++i) sides[i] = atoi(arguments[1 + i]);
    int steps = count == 5 ? atoi(arguments[4]) : 0;
    if (sides[0] < 2 || sides[1] < 2 || sides[2] < 2 || steps < 1 ||
        (double)sides[0] * sides[1] * sides[2] > 2e8) {
        fputs("usage: equake WIDTH LENGTH DEPTH STEPS [--times], at most 2e8 nodes\n", stderr);
        return 2;
    }
    struct ground ground = {.mesh = make_mesh(sides, distance)};
    make_arrays(&ground);
    int fault = (sides[2] / 2 * sides[1] + sides[1] / 2) * sides[0] + sides[0] / 2;
    assemble(&ground, fault);
    shake(&ground, steps);
    const double* moved = ground.moved[now][fault - sides[0] * sides[1]];
    printf("moved %.6e %.6e %.6e\nenergy %.6e\n", moved[0], moved[1], moved[2], kinetic_energy(&ground));
    return 0;
}
