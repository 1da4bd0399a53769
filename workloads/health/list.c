#include "workloads/health/list.h"

#include <stdlib.h>

#include "workloads/memory.h"

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
