// The same by a pointer to a function, of which it is known later only where it leads.
// proves: 24 split
#include "waiting_for_jobs.h"

long (*added)(const struct job*, int) = add;

static long sum_of(const struct job* job, int jobs_now) {
    return added(job, jobs_now);
}
