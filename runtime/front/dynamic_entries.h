// What libmalloom.so offers to the optimiser, a DynamoRIO client in the same process (optimizer/): entries
// for the calls that the client redirects, and tables that it fills. The client finds all of it by name.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "formats/plan.h"

namespace malloom::front {

/// What a site's calls do.
enum class SiteState : uint32_t {
    monitored,  ///< they go to the monitored entry, which serves them as the plain function does
    pooled,     ///< a trace has found the monitor valid: both entries serve its requests from its pool
    given_up,   ///< the pool's requests came to differ: the plain function serves them, for good
};

/// The memory request monitor of one call (paper, section 2). The client writes `return_address`, once,
/// before `count` of the table includes the site, and `state`; the entries write the rest. Threads may race
/// for it, which costs a request its pool and no more: what must hold, that a client's objects have
/// `pool_bytes`, is settled once, by whoever adds the client.
struct DynamicSite {
    uintptr_t return_address;
    uint32_t bytes;     ///< of the last request; of 4 GiB and more: 0, and they never agree
    uint32_t agreeing;  ///< requests of that size in a row, the last with them; 0: none yet
    SiteState state;
    uint32_t pool;         ///< 1 + the number of its client in the pool heap; 0: none yet. See `counted`
    uint32_t pool_bytes;   ///< what the requests of that client ask for; 0: none yet
    uint32_t disagreeing;  ///< requests of other sizes since it is pooled

    /// Added to `pool` where statistics count the requests: the entries then take their slow path.
    static constexpr uint32_t counted = uint32_t{1} << 31;
    /// The number of a client; `pool` must not be 0.
    static constexpr uint32_t client(uint32_t pool) { return (pool & ~counted) - 1; }
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

/// What the program must have asked for before the client looks at its code: either is enough. The client
/// writes both before the first request; where `requests` is 0 nobody waits.
struct DynamicWait {
    uint64_t requests;
    uint64_t bytes;
};

/// Then libmalloom.so makes this system call, close_range(first, last, flags), which the kernel would refuse.
struct DynamicBeginning {
    static constexpr unsigned first = ~0u, last = 0, flags = ~0u;
};

}  // namespace malloom::front

// Exported by name, thread-safe, callable wherever malloc is; errno, new handlers and exceptions as of the
// function that each stands for. A request of a pooled site that is of another size, or that no pool has room
// for, is served as the plain function does; every 256th of another size calls malloom_site_disagrees, which
// does nothing: there the client gives the site up.
extern "C" {
extern malloom::front::DynamicSites malloom_dynamic_sites;
extern malloom::front::DynamicPrefetches malloom_dynamic_prefetches;
extern malloom::front::DynamicWait malloom_dynamic_wait;

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
