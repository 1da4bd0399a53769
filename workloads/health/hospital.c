#include "workloads/health/hospital.h"

#include <stddef.h>

#include "workloads/random.h"

enum { assess_time = 3, treatment_time = 10 };

static void begin_assessment(struct hospital* hospital, struct patient* patient) {
    --hospital->free_personnel;
    patient->time_left = assess_time;
    patient->time += assess_time;
    list_add(&hospital->assess, patient);
}

void admit(struct hospital* hospital, struct patient* patient) {
    ++patient->hospitals_visited;
    if (hospital->free_personnel > 0) {
        begin_assessment(hospital, patient);
    } else {
        ++hospital->waiting_count;
        list_add(&hospital->waiting, patient);
    }
}

static void treat_inside(struct village* village) {
    struct hospital* hospital = &village->hospital;
    for (struct list *at = hospital->inside.forward, *next; at != NULL; at = next) {
        next = at->forward;
        struct patient* patient = at->patient;
        if (--patient->time_left > 0) continue;
        ++hospital->free_personnel;
        list_remove(&hospital->inside, patient);
        list_add(&village->returned, patient);
    }
}

/// One patient in ten is sent up, but for those of the hospital at the top.
static void treat_assessed(struct village* village) {
    struct hospital* hospital = &village->hospital;
    for (struct list *at = hospital->assess.forward, *next; at != NULL; at = next) {
        next = at->forward;
        struct patient* patient = at->patient;
        if (--patient->time_left > 0) continue;
        list_remove(&hospital->assess, patient);
        if (random_unit(&village->seed) > 0.1 || village->back == NULL) {
            patient->time_left = treatment_time;
            patient->time += treatment_time;
            list_add(&hospital->inside, patient);
        } else {
            ++hospital->free_personnel;
            list_add(&hospital->up, patient);
        }
    }
}

static void treat_waiting(struct hospital* hospital) {
    for (struct list *at = hospital->waiting.forward, *next; at != NULL; at = next) {
        next = at->forward;
        struct patient* patient = at->patient;
        if (hospital->free_personnel == 0) {
            ++patient->time;
            continue;
        }
        --hospital->waiting_count;
        list_remove(&hospital->waiting, patient);
        begin_assessment(hospital, patient);
    }
}

void treat(struct village* village) {
    treat_inside(village);
    treat_assessed(village);
    treat_waiting(&village->hospital);
}

bool falls_ill(struct village* village) {
    return random_unit(&village->seed) > 2.0 / 3;
}
