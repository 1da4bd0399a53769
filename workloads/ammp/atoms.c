#include "workloads/ammp/atoms.h"

#include <string.h>

#include "workloads/memory.h"
#include "workloads/random.h"

enum { chain = 8 };

static const double spacing = 2.2;
static const double disorder = 0.1;
static const double fastest = 0.6;  // angstrom per unit of time

static struct atom* new_atom(int serial, uint64_t* state) {
    struct atom* made = or_exit(malloc(sizeof *made));
    memset(made, 0, sizeof *made);
    made->serial = serial;
    snprintf(made->name, sizeof made->name, "%s%d", serial % 2 ? "C" : "O", serial % chain);
    made->q = serial % 2 ? 0.05 : -0.05;
    made->a = 128;  // with b: 4 e s^12 and 4 e s^6 for e = 1 and s = 2
    made->b = 16;
    made->mass = serial % 2 ? 12 : 16;
    made->vx = fastest * (random_unit(state) - 0.5);
    made->vy = fastest * (random_unit(state) - 0.5);
    made->vz = fastest * (random_unit(state) - 0.5);
    return made;
}

static double displaced(int place, uint64_t* state) {
    return spacing * place + disorder * (random_unit(state) - 0.5);
}

/// Puts the atom on its place of a grid, where every second line and layer is walked backwards.
static void place_atom(struct atom* atom, int side, uint64_t* state) {
    int line = atom->serial / side;
    int layer = line / side;
    int column = atom->serial % side;
    int row = line % side;
    atom->x = displaced(line % 2 ? side - 1 - column : column, state);
    atom->y = displaced(layer % 2 ? side - 1 - row : row, state);
    atom->z = displaced(layer, state);
}

static void exclude(struct atom* atom, struct atom* other) {
    int i = 0;
    while (atom->excluded[i] != NULL) ++i;
    atom->excluded[i] = other;
}

static struct bond* new_bond(struct atom* one, struct atom* other) {
    struct bond* made = or_exit(malloc(sizeof *made));
    *made = (struct bond){one, other, spacing, 100, NULL};
    exclude(one, other);
    exclude(other, one);
    return made;
}

static void add_atoms(struct matter* matter, uint64_t* state) {
    int side = 1;
    while ((long)side * side * side < matter->count) ++side;
    struct atom** end = &matter->atoms;
    for (int serial = 0; serial < matter->count; ++serial) {
        *end = new_atom(serial, state);
        place_atom(*end, side, state);
        end = &(*end)->next;
    }
}

static void add_bonds(struct matter* matter) {
    struct bond** end = &matter->bonds;
    for (struct atom* at = matter->atoms; at != NULL && at->next != NULL; at = at->next) {
        if (at->next->serial % chain == 0) continue;
        *end = new_bond(at, at->next);
        end = &(*end)->next;
    }
}

struct matter make_matter(int count) {
    struct matter matter = {.count = count};
    uint64_t state = random_begin(1);
    add_atoms(&matter, &state);
    add_bonds(&matter);
    matter.all = or_exit(malloc((size_t)count * sizeof *matter.all));
    for (struct atom* at = matter.atoms; at != NULL; at = at->next) matter.all[at->serial] = at;
    return matter;
}
