#include "optimizer/statistics.h"

#include <dr_api.h>

#include "optimizer/allocation_calls.h"
#include "optimizer/run_time_library.h"

namespace malloom::optimizer {

namespace {

uint64_t traces;

uint32_t sites_pooled(const front::DynamicSites& table) {
    uint32_t pooled = 0;
    for (uint32_t i = 0; i < table.count; ++i) {
        if (table.sites[i].state == front::SiteState::pooled) ++pooled;
    }
    return pooled;
}

uint32_t prefetches_used(const front::DynamicPrefetches& table) {
    uint32_t used = 0;
    for (uint32_t i = 0; i < table.count; ++i) {
        if (table.prefetches[i].is_used != 0) ++used;
    }
    return used;
}

}  // namespace

void count_trace() {
    __atomic_fetch_add(&traces, 1, __ATOMIC_RELAXED);
}

void print_statistics() {
    const front::DynamicSites* const table = sites();
    const front::DynamicPrefetches* const loads = prefetches();
    dr_fprintf(
        STDERR,
        "malloom: process %d: sites monitored %u, promoted %u, given up %llu; traces %llu; prefetches %u, "
        "used %u\n",
        dr_get_process_id(), table != nullptr ? table->count : 0, table != nullptr ? sites_pooled(*table) : 0,
        static_cast<unsigned long long>(sites_given_up()), static_cast<unsigned long long>(traces),
        loads != nullptr ? loads->count : 0, loads != nullptr ? prefetches_used(*loads) : 0);
}

}  // namespace malloom::optimizer
