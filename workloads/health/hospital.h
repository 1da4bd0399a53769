// health's structures: villages as a tree of four branches, each with a hospital.
#ifndef WORKLOADS_HEALTH_HOSPITAL_H
#define WORKLOADS_HEALTH_HOSPITAL_H

#include <stdbool.h>
#include <stdint.h>

#include "workloads/health/list.h"

enum { branches = 4 };

/// 112 bytes.
struct hospital {
    int personnel;
    int free_personnel;
    int waiting_count;
    struct list waiting;
    struct list assess;
    struct list inside;
    struct list up;  ///< those who go on to the hospital above in this time step
};

/// 192 bytes; 176 where pointers have 32 bits, which are parted only in lists.
struct village {
    struct village* forward[branches];
    struct village* back;
    struct list returned;
    struct hospital hospital;
    int label;
    uint64_t seed;
};

/// Lets a patient in to be assessed where there is someone free to do so, or to wait.
void admit(struct hospital* hospital, struct patient* patient);

/// One time step of the hospital's own lists, in the original's order: inside, assessed, waiting. The
/// patients who are to go up are in hospital.up then, for the village above to take out.
void treat(struct village* village);

/// Whether a patient shows up in this time step, from the village's own sequence of random numbers.
bool falls_ill(struct village* village);

#endif
