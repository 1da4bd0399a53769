// health's lists of patients, linked both ways.
#ifndef WORKLOADS_HEALTH_LIST_H
#define WORKLOADS_HEALTH_LIST_H

#include "workloads/wide_pointer.h"

struct village;

/// 24 bytes.
struct patient {
    int hospitals_visited;
    int time;
    int time_left;
    WIDE_POINTER struct village* home;
};

/// A cell of a list, 24 bytes; the list's head is a cell without patient, before the first.
struct list {
    WIDE_POINTER struct list* forward;
    WIDE_POINTER struct list* back;
    WIDE_POINTER struct patient* patient;
};

/// Adds a cell at the list's end, which is looked for from its head. Ends the process where memory runs out.
void list_add(struct list* head, struct patient* patient);

/// Takes out and frees the cell of `patient`, which is looked for from the head and must be there.
void list_remove(struct list* head, const struct patient* patient);

#endif
