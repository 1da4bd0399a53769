// health LEVELS STEPS [SEED]: the Colombian health system, in which a hospital treats the patients of its
// village and those whom the four hospitals below send up, for STEPS time steps. Prints how many patients
// went home, how long they had been away and how many hospitals they had seen.
//
// Written afresh after Olden's health (Rogers, Carlisle, Reppy and Hendren 1995; the problem is Lomow et
// al.'s of 1988). As there, a village (192 bytes) is made before those below it, the last of the four
// branches first; every time step walks the tree in this order and treats a village after those below it; a
// third of the villages then gets a new patient (24 bytes) and a cell of a list (24 bytes) for it. Lists are
// walked from their heads to add, to remove and to treat, and the cells that follow each other in one were
// requested at different steps, with those of most other villages between them. Below the top more fall ill
// than can be treated, so waiting lists grow.
//
// Heap bytes in glibc's malloc: villages of 208, (4^LEVELS - 1) / 3 of them, and for each about STEPS / 3
// patients of 32, each with one cell of 32: 208 + 21.3 STEPS per village. The walks of the waiting lists, the
// original's, take time that grows with STEPS^2: let LEVELS grow with the heap, not STEPS.
#include <stdio.h>
#include <stdlib.h>

#include "workloads/health/hospital.h"
#include "workloads/memory.h"
#include "workloads/phases.h"
#include "workloads/random.h"

enum { most_levels = 14 };

/// The village numbered `label` with those below it, which have numbers of their own.
static struct village* make_villages(int levels, int label, struct village* back, uint64_t seed) {
    if (levels == 0) return NULL;
    struct village* made = or_exit(malloc(sizeof *made));
    struct village* below[branches];
    for (int i = branches - 1; i >= 0; --i) {
        below[i] = make_villages(levels - 1, label * branches + i + 1, made, seed);
    }
    *made = (struct village){.back = back, .label = label, .seed = random_begin(seed + (uint64_t)label)};
    made->hospital.personnel = 1 << (levels - 1);
    made->hospital.free_personnel = made->hospital.personnel;
    for (int i = 0; i < branches; ++i) made->forward[i] = below[i];
    return made;
}

static struct patient* new_patient(struct village* home) {
    struct patient* made = or_exit(malloc(sizeof *made));
    *made = (struct patient){.home = home};
    return made;
}

/// Lets in those whom a hospital below sends up.
static void take_over(struct hospital* hospital, struct list* up) {
    for (struct list *at = up->forward, *next; at != NULL; at = next) {
        next = at->forward;
        struct patient* patient = at->patient;
        admit(hospital, patient);
        list_remove(up, patient);
    }
}

/// One time step of a village and all below it; returns those whom it sends up, NULL where there is no
/// village.
static struct list* simulate(struct village* village) {
    if (village == NULL) return NULL;
    struct list* up[branches];
    for (int i = branches - 1; i >= 0; --i) up[i] = simulate(village->forward[i]);
    for (int i = branches - 1; i >= 0; --i) {
        if (up[i] != NULL) take_over(&village->hospital, up[i]);
    }
    treat(village);
    if (falls_ill(village)) admit(&village->hospital, new_patient(village));
    return &village->hospital.up;
}

struct totals {
    unsigned long patients, time, hospitals;
};

/// Adds those who have returned to the village and to those below it.
static void add_returned(const struct village* village, struct totals* totals) {
    if (village == NULL) return;
    for (int i = branches - 1; i >= 0; --i) add_returned(village->forward[i], totals);
    for (const struct list* at = village->returned.forward; at != NULL; at = at->forward) {
        ++totals->patients;
        totals->time += (unsigned long)at->patient->time;
        totals->hospitals += (unsigned long)at->patient->hospitals_visited;
    }
}

int main(int count, char** arguments) {
    count = phases_from_arguments(count, arguments);
    int levels = count >= 3 ? atoi(arguments[1]) : 0;
    int steps = count >= 3 ? atoi(arguments[2]) : 0;
    unsigned long seed = count >= 4 ? strtoul(arguments[3], NULL, 10) : 1;
    if (levels < 1 || levels > most_levels || steps < 1 || count > 4) {
        fputs("usage: health LEVELS STEPS [SEED] [--times]\n", stderr);
        return 2;
    }
    double began = phase_begin();
    struct village* top = make_villages(levels, 0, NULL, seed);
    phase_end("build_time", began);
    began = phase_begin();
    for (int step = 0; step < steps; ++step) simulate(top);
    phase_end("simulate_time", began);
    struct totals totals = {0};
    add_returned(top, &totals);
    printf("patients %lu\ntime %lu\nhospitals %lu\n", totals.patients, totals.time, totals.hospitals);
    return 0;
}
