#include "workloads/ammp/neighbours.h"

#include <math.h>
#include <string.h>

#include "workloads/ammp/atoms.h"
#include "workloads/ammp/forces.h"
#include "workloads/memory.h"

static const double cell_side = 6;  // angstrom; what is closer is a close neighbour
static const double slack = 0.06;   // angstrom that an atom may move before the lists are made again

/// The atoms of a cell are chained by serial numbers, -1 at the end.
struct grid {
    double low[3];
    int sides[3];
    int* first;  ///< [cells]
    int* next;   ///< [atoms]
};

bool have_moved(const struct matter* matter) {
    for (const struct atom* at = matter->atoms; at != NULL; at = at->next) {
        double dx = at->x - at->px;
        double dy = at->y - at->py;
        double dz = at->z - at->pz;
        if (dx * dx + dy * dy + dz * dz > slack * slack) return true;
    }
    return false;
}

static int cell_of(const struct grid* grid, const struct atom* atom, int cell[3]) {
    const double place[3] = {atom->x, atom->y, atom->z};
    for (int i = 0; i < 3; ++i) cell[i] = (int)((place[i] - grid->low[i]) / cell_side);
    return (cell[2] * grid->sides[1] + cell[1]) * grid->sides[0] + cell[0];
}

static void measure(struct grid* grid, const struct atom* atoms) {
    double high[3] = {atoms->x, atoms->y, atoms->z};
    memcpy(grid->low, high, sizeof high);
    for (const struct atom* at = atoms; at != NULL; at = at->next) {
        const double place[3] = {at->x, at->y, at->z};
        for (int i = 0; i < 3; ++i) {
            grid->low[i] = fmin(grid->low[i], place[i]);
            high[i] = fmax(high[i], place[i]);
        }
    }
    for (int i = 0; i < 3; ++i) grid->sides[i] = (int)((high[i] - grid->low[i]) / cell_side) + 1;
}

static struct grid make_grid(const struct matter* matter) {
    struct grid grid;
    measure(&grid, matter->atoms);
    size_t cells = (size_t)grid.sides[0] * (size_t)grid.sides[1] * (size_t)grid.sides[2];
    grid.first = or_exit(malloc(cells * sizeof *grid.first));
    grid.next = or_exit(malloc((size_t)matter->count * sizeof *grid.next));
    for (size_t i = 0; i < cells; ++i) grid.first[i] = -1;
    for (int serial = matter->count - 1; serial >= 0; --serial) {
        int cell[3];
        int number = cell_of(&grid, matter->all[serial], cell);
        grid.next[serial] = grid.first[number];
        grid.first[number] = serial;
    }
    return grid;
}

static bool is_excluded(const struct atom* one, const struct atom* other) {
    for (int i = 0; one->excluded[i] != NULL; ++i) {
        if (one->excluded[i] == other) return true;
    }
    return false;
}

/// Adds an atom of a neighbouring cell to the close ones of `atom` or to the distant charges. Returns how
/// many are close.
static int consider(struct atom* atom, struct atom* other, int close) {
    double dx = other->x - atom->x;
    double dy = other->y - atom->y;
    double dz = other->z - atom->z;
    double squared = dx * dx + dy * dy + dz * dz;
    if (squared > cell_side * cell_side) {
        add_distant(atom, other);
        return close;
    }
    if (is_excluded(atom, other)) return close;
    if (close == most_close - 1) {
        fputs("ammp: an atom has too many neighbours\n", stderr);
        exit(1);
    }
    atom->close[close] = other;
    return close + 1;
}

static void find_close(const struct matter* matter, const struct grid* grid, struct atom* atom) {
    int cell[3];
    int close = 0;
    cell_of(grid, atom, cell);
    for (int offset = 0; offset < 27; ++offset) {
        int x = cell[0] + offset % 3 - 1;
        int y = cell[1] + offset / 3 % 3 - 1;
        int z = cell[2] + offset / 9 - 1;
        if (x < 0 || y < 0 || z < 0) continue;
        if (x >= grid->sides[0] || y >= grid->sides[1] || z >= grid->sides[2]) continue;
        int other = grid->first[(z * grid->sides[1] + y) * grid->sides[0] + x];
        for (; other >= 0; other = grid->next[other]) {
            if (other > atom->serial) close = consider(atom, matter->all[other], close);
        }
    }
    atom->close[close] = NULL;
}

static void begin_anew(struct atom* atom) {
    atom->px = atom->x;
    atom->py = atom->y;
    atom->pz = atom->z;
    atom->potential = atom->dpx = atom->dpy = atom->dpz = 0;
    atom->qxx = atom->qxy = atom->qxz = atom->qyy = atom->qyz = atom->qzz = 0;
}

void find_neighbours(struct matter* matter) {
    struct grid grid = make_grid(matter);
    for (struct atom* at = matter->atoms; at != NULL; at = at->next) begin_anew(at);
    for (struct atom* at = matter->atoms; at != NULL; at = at->next) find_close(matter, &grid, at);
    free(grid.first);
    free(grid.next);
}
