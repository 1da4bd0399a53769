// What libmalloom.so offers to the optimiser, a DynamoRIO client in the same process (optimizer/): entries
// for the calls that the client redirects, and tables that it fills. The client finds all of it by name.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "formats/plan.h"

namespace malloom::front {

/// The memory request monitor of one call (paper, section 2). The client writes `return_address`, once,
/// before `count` of the table includes the site, and `is_promoted`; the entries write the rest. Threads may
/// race for it, which costs a request its pool and no more.
struct DynamicSite {
    uintptr_t return_address;
    uint64_t bytes;        ///< of the last request
    uint32_t agreeing;     ///< requests of that size in a row, the last with them; 0: none yet
    uint32_t is_promoted;  ///< 1: a trace has found the monitor valid
    uint32_t pool;         ///< family in the pool heap; its `none` until the pool entry adds it
    uint32_t disagreeing;  ///< requests of other sizes that came to the pool entry
};
static_assert(sizeof(DynamicSite) == 32);

struct DynamicSites {
    static constexpr uint32_t capacity = 16384;
    alignas(64) uint32_t count;
    alignas(64) DynamicSite sites[capacity];
};

/// The prefetches that the client has put in, for the plan of this run: `offset` is the load's address in
/// this process and `module` 0, as the client knows no module hashes; libmalloom.so sets both where it writes
/// the plan. `is_used` is 0 where the prefetch was taken out again.
struct DynamicPrefetch {
    formats::plan::PlanPrefetch prefetch;
    uint64_t is_used;
};
struct DynamicPrefetches {
    static constexpr uint32_t capacity = 4096;
    alignas(64) uint32_t count;
    alignas(64) DynamicPrefetch prefetches[capacity];
};

}  // namespace malloom::front

// Exported by name, thread-safe, callable wherever malloc is; errno, new handlers and exceptions as of the
// function that each stands for. The pool entries serve requests of other sizes, and those that no pool has
// room for, as the plain function does; every 256th of other sizes calls malloom_site_disagrees, which does
// nothing and is there for the client to instrument.
extern "C" {
extern malloom::front::DynamicSites malloom_dynamic_sites;
extern malloom::front::DynamicPrefetches malloom_dynamic_prefetches;

void* malloom_monitored_malloc(size_t bytes, malloom::front::DynamicSite* site);
void* malloom_monitored_calloc(size_t count, size_t bytes, malloom::front::DynamicSite* site);
void* malloom_monitored_realloc(void* object, size_t bytes, malloom::front::DynamicSite* site);
void* malloom_monitored_new(size_t bytes, malloom::front::DynamicSite* site);

void* malloom_pool_malloc(size_t bytes, malloom::front::DynamicSite* site);
void* malloom_pool_calloc(size_t count, size_t bytes, malloom::front::DynamicSite* site);
void* malloom_pool_realloc(void* object, size_t bytes, malloom::front::DynamicSite* site);
void* malloom_pool_new(size_t bytes, malloom::front::DynamicSite* site);

void malloom_site_disagrees(malloom::front::DynamicSite* site);
}
