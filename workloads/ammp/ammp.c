// ammp ATOMS STEPS: molecular dynamics with lists of neighbours, as SPEC CPU2000's ammp (Zhao, Rabbah and
// Wong measure it). Phases: atoms and bonds are made; then each of STEPS steps moves all atoms in order of
// the list, finds all neighbours anew where an atom has moved too far (every sixth step or so), and adds up
// the forces: for each atom in order of the list those of its close neighbours, of which each has some 40
// later in the list; then those of the bonds. Prints the energies before and after and how often neighbours
// were found.
//
// Requests: per atom 1928 bytes, then per bond 40 (7 for 8 atoms). Bytes of the C library's heap: 1936 + 42 +
// 8 per atom, and while neighbours are found 5 more.
#include <stdio.h>
#include <stdlib.h>

#include "workloads/ammp/atoms.h"
#include "workloads/ammp/forces.h"
#include "workloads/ammp/neighbours.h"
#include "workloads/phases.h"

static const double step_time = 0.02;

/// Half a step of the velocities.
static void accelerate(struct atom* atoms) {
    for (struct atom* at = atoms; at != NULL; at = at->next) {
        at->vx += step_time / 2 * at->fx / at->mass;
        at->vy += step_time / 2 * at->fy / at->mass;
        at->vz += step_time / 2 * at->fz / at->mass;
    }
}

static void move(struct atom* atoms) {
    for (struct atom* at = atoms; at != NULL; at = at->next) {
        at->x += step_time * at->vx;
        at->y += step_time * at->vy;
        at->z += step_time * at->vz;
    }
}

static double kinetic_energy(const struct atom* atoms) {
    double energy = 0;
    for (const struct atom* at = atoms; at != NULL; at = at->next) {
        energy += at->mass / 2 * (at->vx * at->vx + at->vy * at->vy + at->vz * at->vz);
    }
    return energy;
}

static void report(double potential, double kinetic) {
    printf("potential %.6e kinetic %.6e total %.6e\n", potential, kinetic, potential + kinetic);
}

/// Velocity Verlet (Swope et al. 1982). Returns how often neighbours were found.
static int run(struct matter* matter, int steps) {
    int found = 1;
    double began = phase_begin();
    find_neighbours(matter);
    double potential = find_forces(matter);
    report(potential, kinetic_energy(matter->atoms));
    for (int step = 0; step < steps; ++step) {
        accelerate(matter->atoms);
        move(matter->atoms);
        if (have_moved(matter)) {
            find_neighbours(matter);
            ++found;
        }
        potential = find_forces(matter);
        accelerate(matter->atoms);
    }
    phase_end("step_time", began);
    report(potential, kinetic_energy(matter->atoms));
    return found;
}

int main(int count, char** arguments) {
    count = phases_from_arguments(count, arguments);
    int atoms = count == 3 ? atoi(arguments[1]) : 0;
    int steps = count == 3 ? atoi(arguments[2]) : 0;
    if (atoms < 2 || steps < 1) {
        fputs("usage: ammp ATOMS STEPS [--times]\n", stderr);
        return 2;
    }
    struct matter matter = make_matter(atoms);
    printf("neighbours found %d times\n", run(&matter, steps));
    return 0;
}
