// What a thread loads of another one's arrays is not loaded before it has waited for them.
// proves: 24 split
#include "waiting_for_jobs.h"

static long sum_of(const struct job* job, int jobs_now) {
    return add(job, jobs_now);
}
