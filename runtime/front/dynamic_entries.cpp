// What the optimiser has calls of the malloc family call instead. Whatever is not the pool's ends in a tail
// call of the function that was meant, which then sees the program as its caller.
#include "runtime/front/dynamic_entries.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <new>

#include "runtime/front/process_heaps.h"
#include "runtime/front/statistics.h"

using malloom::front::dynamic_counts;
using malloom::front::DynamicSite;
using malloom::front::process_heaps;
using malloom::front::SiteState;
using malloom::heaps::PoolHeap;

namespace {

constexpr uint32_t disagreements_a_call = 256;

template <class Field>
[[gnu::always_inline]] inline Field load(const Field& field) {
    return __atomic_load_n(&field, __ATOMIC_RELAXED);
}

[[gnu::always_inline]] inline uint32_t pool_of(const DynamicSite& site) {
    return __atomic_load_n(&site.pool, __ATOMIC_ACQUIRE);
}

// A chunk of the site's pool; null where the request is of another size, is to be counted, or the pool has
// none at hand.
[[gnu::always_inline]] inline void* allocate_fast(const DynamicSite& site, size_t bytes) {
    const uint32_t pool = pool_of(site);
    return bytes == load(site.pool_bytes) && pool - 1 < DynamicSite::counted - 1
               ? process_heaps.pools.allocate_fast(pool - 1)
               : nullptr;
}

// The same where the pool may have to be filled, and a count may be wanted.
void* allocate_from(uint32_t pool, size_t bytes) {
    void* object = pool != 0 ? process_heaps.pools.allocate(DynamicSite::client(pool)) : nullptr;
    if (object != nullptr && pool >= DynamicSite::counted) {
        dynamic_counts.count(bytes);
    }
    return object;
}

// The first request of a pooled site settles the client's size.
void begin_pool(DynamicSite& site, size_t bytes) {
    uint32_t none = 0;
    const bool fits = bytes != 0 && bytes <= malloom::heaps::largest_chunk;
    if (fits && __atomic_compare_exchange_n(&site.pool_bytes, &none, static_cast<uint32_t>(bytes), false,
                                            __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
        const bool is_open = process_heaps.pools.open();
        const uint32_t client = is_open ? process_heaps.pools.heap.add(bytes) : PoolHeap::none;
        const uint32_t counted = dynamic_counts.are_wanted ? DynamicSite::counted : 0;
        const uint32_t pool = client != PoolHeap::none ? client + 1 + counted : 0;
        __atomic_store_n(&site.pool, pool, __ATOMIC_RELEASE);
    }
}

void count_disagreement(DynamicSite& site) {
    const uint32_t count = load(site.disagreeing) + 1;
    __atomic_store_n(&site.disagreeing, count, __ATOMIC_RELAXED);
    if (count % disagreements_a_call == 0) {
        malloom_site_disagrees(&site);
    }
}

// What allocate_fast leaves of a site's requests.
[[gnu::noinline]] void* allocate_pooled(DynamicSite& site, size_t bytes) {
    if (load(site.pool_bytes) == 0) {
        begin_pool(site, bytes);
    }
    if (load(site.pool_bytes) == bytes) {
        return allocate_from(pool_of(site), bytes);
    }
    count_disagreement(site);
    return nullptr;
}

void observe(DynamicSite& site, size_t bytes) {
    const uint32_t size = bytes <= UINT32_MAX ? static_cast<uint32_t>(bytes) : 0;
    const bool agrees = size != 0 && size == load(site.bytes);
    __atomic_store_n(&site.agreeing, agrees ? load(site.agreeing) + 1 : uint32_t{size != 0},
                     __ATOMIC_RELAXED);
    __atomic_store_n(&site.bytes, size, __ATOMIC_RELAXED);
}

// A chunk, if the site is pooled by now; else the monitor sees the request.
void* allocate_monitored(DynamicSite& site, size_t bytes) {
    if (*const_cast<const volatile SiteState*>(&site.state) == SiteState::pooled) {
        void* object = allocate_fast(site, bytes);
        return object != nullptr ? object : allocate_pooled(site, bytes);
    }
    observe(site, bytes);
    return nullptr;
}

[[gnu::always_inline]] inline void* zeroed(void* object, size_t bytes) {
    return memset(object, 0, bytes);
}

}  // namespace

#define MALLOOM_ENTRY extern "C" [[gnu::visibility("default")]]

MALLOOM_ENTRY void* malloom_monitored_malloc(size_t bytes, DynamicSite* site) {
    void* object = allocate_monitored(*site, bytes);
    return object != nullptr ? object : malloc(bytes);
}

MALLOOM_ENTRY void* malloom_monitored_calloc(size_t count, size_t bytes, DynamicSite* site) {
    size_t total = 0;
    const bool overflows = __builtin_mul_overflow(count, bytes, &total);
    void* object = overflows ? nullptr : allocate_monitored(*site, total);
    return object != nullptr ? zeroed(object, total) : calloc(count, bytes);
}

MALLOOM_ENTRY void* malloom_monitored_realloc(void* old, size_t bytes, DynamicSite* site) {
    void* object = old == nullptr ? allocate_monitored(*site, bytes) : nullptr;
    return object != nullptr ? object : realloc(old, bytes);
}

MALLOOM_ENTRY void* malloom_monitored_new(size_t bytes, DynamicSite* site) {
    void* object = allocate_monitored(*site, bytes);
    return object != nullptr ? object : operator new(bytes);
}

namespace {

// The rest of the pool entries, each in its place.
[[gnu::noinline]] void* malloc_slow(size_t bytes, DynamicSite* site) {
    void* object = allocate_pooled(*site, bytes);
    return object != nullptr ? object : malloc(bytes);
}
[[gnu::noinline]] void* new_slow(size_t bytes, DynamicSite* site) {
    void* object = allocate_pooled(*site, bytes);
    return object != nullptr ? object : operator new(bytes);
}
[[gnu::noinline]] void* calloc_slow(size_t count, size_t bytes, DynamicSite* site) {
    void* object = allocate_pooled(*site, count * bytes);
    return object != nullptr ? zeroed(object, count * bytes) : calloc(count, bytes);
}

}  // namespace

MALLOOM_ENTRY void* malloom_pool_malloc(size_t bytes, DynamicSite* site) {
    void* object = allocate_fast(*site, bytes);
    return object != nullptr ? object : malloc_slow(bytes, site);
}

MALLOOM_ENTRY void* malloom_pool_calloc(size_t count, size_t bytes, DynamicSite* site) {
    size_t total = 0;
    if (__builtin_mul_overflow(count, bytes, &total)) {
        return calloc(count, bytes);
    }
    void* object = allocate_fast(*site, total);
    return object != nullptr ? zeroed(object, total) : calloc_slow(count, bytes, site);
}

MALLOOM_ENTRY void* malloom_pool_realloc(void* old, size_t bytes, DynamicSite* site) {
    return old == nullptr ? malloom_pool_malloc(bytes, site) : realloc(old, bytes);
}

MALLOOM_ENTRY void* malloom_pool_new(size_t bytes, DynamicSite* site) {
    void* object = allocate_fast(*site, bytes);
    return object != nullptr ? object : new_slow(bytes, site);
}

// The client looks for calls of it.
MALLOOM_ENTRY [[gnu::noipa]] void malloom_site_disagrees(DynamicSite* site) {
    __asm__ volatile("" : : "r"(site) : "memory");
}
