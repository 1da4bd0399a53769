#include "workloads/health/hospital.h"

#include <stddef.h>
#include <stdlib.h>

#include "workloads/memory.h"
#include "workloads/random.h"

enum { assess_time = 3, treatment_time = 10 };

void list_add(struct list* head, struct patient* patient) {
    struct list* last = head;
    while (last->forward != NULL) last = last->forward;
    struct list* made = or_exit(malloc(sizeof *made));
    made->patient = patient;
    made->forward = NULL;
    made->back = last;
    last->forward = made;
}

void list_remove(struct list* head, const struct patient* patient) {
    struct list* at = head->forward;
    while (at->patient != patient) at = at->forward;
    at->back->forward = at->forward;
    if (at->forward != NULL) at->forward->back = at->back;
    free(at);
}

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
