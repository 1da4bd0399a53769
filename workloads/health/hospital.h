// health's structures: villages as a tree of four branches, each with a hospital, and lists of patients.
#ifndef WORKLOADS_HEALTH_HOSPITAL_H
#define WORKLOADS_HEALTH_HOSPITAL_H

#include <stdbool.h>
#include <stdint.h>

enum { branches = 4 };

struct village;

/// 24 bytes.
struct patient {
    int hospitals_visited;
    int time;
    int time_left;
    struct village* home;
};

/// A cell of a list of patients, 24 bytes; the list's head is a cell without patient, before the first.
struct list {
    struct list* forward;
    struct list* back;
    struct patient* patient;
};

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

/// 192 bytes.
struct village {
    struct village* forward[branches];
    struct village* back;
    struct list returned;
    struct hospital hospital;
    int label;
    uint64_t seed;
};

/// Adds a cell at the list's end, which is looked for from its head. Ends the process where memory runs out.
void list_add(struct list* head, struct patient* patient);

/// Takes out and frees the cell of `patient`, which is looked for from the head and must be there.
void list_remove(struct list* head, const struct patient* patient);

/// Lets a patient in to be assessed where there is someone free to do so, or to wait.
void admit(struct hospital* hospital, struct patient* patient);

/// One time step of the hospital's own lists, in the original's order: inside, assessed, waiting. The
/// patients who are to go up are in hospital.up then, for the village above to take out.
void treat(struct village* village);

/// Whether a patient shows up in this time step, from the village's own sequence of random numbers.
bool falls_ill(struct village* village);

#endif
