#include "runtime/front/route.h"

#include <errno.h>

#include "runtime/heaps/fallback/fork_gate.h"

namespace malloom::front {

namespace {

// Of what deallocate has left to its owner.
void release(heaps::PlanHeap& heap, void* object) {
    heap.release_any(object);
}
void release(ProcessPools& heap, void* object) {
    heap.release(object);
}
void release(heaps::FallbackHeap& heap, void* object) {
    if (object != nullptr) {
        heap.deallocate(object);
    }
}
template <class Heap>
void release(Heap& heap, void* object) {
    heap.deallocate(object);
}

template <class Heap>
constexpr Owner owner_by_type = Owner::region;
template <>
constexpr Owner owner_by_type<heaps::PlanHeap> = Owner::plan;
template <>
constexpr Owner owner_by_type<heaps::GroupHeap> = Owner::groups;
template <>
constexpr Owner owner_by_type<ProcessPools> = Owner::pools;
template <>
constexpr Owner owner_by_type<heaps::FallbackHeap> = Owner::fallback;

template <heaps::Heap Old>
void* move(Old& old, void* object, void* moved, size_t bytes) {
    const size_t had = old.usable_size(object);
    if (moved == nullptr) {
        // What becomes smaller needs no memory, and no program expects to be told that there is none.
        return bytes <= had ? object : nullptr;
    }
    memcpy(moved, object, had < bytes ? had : bytes);
    old.deallocate(object);
    return moved;
}

}  // namespace

// Where the object is of the requester's heap, or of another such.
static bool fits_its_heap(void* object, const AskedFor& request) {
    return request.requester->pooled.now().is_in_mimalloc_for(request.bytes) &&
           heaps::FallbackHeap::is_of_a_site(object) &&
           heaps::FallbackHeap::stays(mi_usable_size(object), request.bytes);
}

void* Route::claim(const AskedFor& request) {
    if (void* object = claim_slot(request)) {
        return object;
    }
    if (void* object = claim_grouped(request)) {
        return object;
    }
    if (void* object = claim_pooled(request)) {
        return object;
    }
    void* object = claim_common(request);
    return object != nullptr ? object : process_heaps.allocate_in_region(request);
}

void* Route::claim_slot(const AskedFor& request) {
    if (process_heaps.plan.has_slot(*request.requester)) {
        return process_heaps.plan.allocate(request);
    }
    observe_without_slot(request);
    return nullptr;
}

// A group that stopped has chunks only as its old objects die, and asking it costs each request. So it is
// left, for good.
void* Route::claim_grouped(const AskedFor& request) {
    uint32_t& group = request.requester->group;
    const uint32_t number = __atomic_load_n(&group, __ATOMIC_RELAXED);
    void* object = process_heaps.groups.allocate_at_hand(request);
    if (object == nullptr && process_heaps.groups.may_grow_for(request)) {
        malloom_fork_gate_enter();
        object = process_heaps.groups.allocate(request);
        malloom_fork_gate_leave();
    }
    if (object == nullptr && process_heaps.groups.has_stopped(number)) {
        __atomic_store_n(&group, formats::plan::no_group, __ATOMIC_RELAXED);
        tell_if_used_up();
    }
    return object;
}

void* Route::claim_pooled(const AskedFor& request) {
    const SitePool pool = request.requester->pooled.now();
    if (pool.is_in_mimalloc_for(request.bytes)) {
        return request.alignment <= heaps::PoolHeap::chunk_alignment
                   ? malloom_mimalloc_try_in(request.bytes, pool.client)
                   : nullptr;
    }
    const bool is_wanted = request.bytes == pool.bytes && pool.bytes != formats::plan::no_pool;
    if (!is_wanted || request.alignment > heaps::PoolHeap::chunk_alignment) {
        return nullptr;
    }
    void* object = Sites::take_at_hand(pool.client);
    return object != nullptr ? object : sites_.allocate_pooled_slow(*request.requester, pool);
}

// What is small costs less there than in the fallback behind a look for its site, and is looked at when it is
// freed.
void* Route::claim_common(const AskedFor& request) {
    if (request.bytes >= common_end_ || request.alignment > heaps::PoolHeap::chunk_alignment) {
        return nullptr;
    }
    return sites_.allocate_common(request.bytes);
}

void Route::observe_without_slot(const AskedFor& request) {
    Requester& requester = *request.requester;
    count_exhausted(requester);
    const SitePool pool = requester.pooled.now();
    if (requester.is_watched && pool.bytes != request.bytes && !pool.is_in_mimalloc_for(request.bytes) &&
        request.alignment <= heaps::PoolHeap::chunk_alignment) {
        sites_.observe(static_cast<Site&>(requester), request.bytes);
    }
}

// Of a requester that the fallback may serve without asking again, once.
void Route::count_exhausted(Requester& requester) {
    if (has_pools()) {
        sites_.begin_planned_pool(requester);
    }
    const uint32_t group = __atomic_load_n(&requester.group, __ATOMIC_RELAXED);
    if (plain_end_of(requester) == 0 && common_end_ == 0 && group == formats::plan::no_group &&
        !requester.is_watched && requester.pooled.now().bytes == formats::plan::no_pool) {
        __atomic_store_n(&requester.plain_end, fallback().plain_end(), __ATOMIC_RELAXED);
        __atomic_store_n(&requester.is_systems, fallback().is_system(), __ATOMIC_RELAXED);
        if (requester.is_site && fallback().plain_end() != 0) {
            sites_.refresh(static_cast<Site&>(requester));
        }
    }
    if (!__atomic_load_n(&requester.is_counted, __ATOMIC_RELAXED)) {
        process_heaps.plan.count_exhausted(requester);
        tell_if_used_up();
    }
}

// Without slots, groups and pools the plan costs but cannot help any more.
void Route::tell_if_used_up() {
    if (when_used_up_ != nullptr && !has_pools() && process_heaps.plan.exhausted_slots() >= planned_slots_ &&
        process_heaps.groups.stopped() == process_heaps.groups.count()) {
        when_used_up_(*this);
    }
}

void* Route::serve_soon(size_t bytes, size_t alignment, Requester& requester) {
    if (void* object = allocate_small(bytes, alignment, requester)) [[likely]] {
        return object;
    }
    if (alignment == 0 && bytes < plain_end_of(requester)) {
        return malloom_mimalloc_allocate(bytes);
    }
    return serve_or_refuse(*this, bytes, alignment, requester);
}

void* Route::serve_or_refuse(Route& route, size_t bytes, size_t alignment, Requester& requester) {
    void* object = route.serve({bytes, alignment, &requester});
    if (object == nullptr) {
        errno = ENOMEM;
    }
    return object;
}

void* Route::serve_again(void* object, const AskedFor& request) {
    return process_heaps.with_owner(object, [&]<class Heap>(Heap& heap) -> void* {
        if constexpr (heaps::ClaimingHeap<Heap>) {
            return heap.resize(object, request) ? object : move(heap, object, serve(request), request.bytes);
        } else {
            heap.expect_object(object);
            if (fits_its_heap(object, request)) {
                return object;
            }
            void* const claimed = claim(request);
            return claimed != nullptr ? move(heap, object, claimed, request.bytes)
                                      : heap.reallocate(object, request);
        }
    });
}

void Route::deallocate_elsewhere(void* object) {
    if (fallback().may_have_mark(object)) {
        fallback().deallocate_marked(object);
    } else {
        process_heaps.with_owner(object, [=](auto& heap) { release(heap, object); });
    }
}

void Route::deallocate_grouped(void* object) {
    if (process_heaps.groups.owns(object)) {
        process_heaps.groups.deallocate(object);
    } else {
        deallocate_elsewhere(object);
    }
}

Owner Route::owner(const void* object) {
    const Owner found =
        process_heaps.with_owner(object, []<class Heap>(Heap&) { return owner_by_type<Heap>; });
    const bool is_pooled = found == Owner::fallback && heaps::FallbackHeap::is_of_a_site(object);
    return is_pooled ? Owner::pools : found;
}

void* Route::allocate_marked(size_t bytes, SlowMalloc slow_path) {
    void* object = fallback().allocate_marked(bytes);
    return object != nullptr ? object : slow_path(bytes);
}

void* Route::allocate_marked_zeroed(size_t bytes, SlowMalloc slow_path) {
    void* object = fallback().allocate_marked_zeroed(bytes);
    return object != nullptr ? object : slow_path(bytes);
}

void* Route::allocate_marked_aligned(size_t alignment, size_t bytes, SlowAligned slow_path) {
    void* object = fallback().allocate_marked_aligned(alignment, bytes);
    return object != nullptr ? object : slow_path(alignment, bytes);
}

void* Route::allocate_at(size_t bytes, Site& site, SlowMalloc slow_path) {
    if (__atomic_load_n(&site.is_systems, __ATOMIC_RELAXED)) {
        const int error = errno;
        void* object = heaps::next_allocator.allocate(bytes);
        if (object == nullptr) {
            return slow_path(bytes);
        }
        errno = error;  // as FallbackHeap does: with memory the C library may leave another
        return object;
    }
    if (!process_heaps.plan.has_slot(site)) {
        const uint32_t group = __atomic_load_n(&site.group, __ATOMIC_RELAXED);
        if (void* object = process_heaps.groups.allocate_small(bytes, group)) [[likely]] {
            return object;
        }
    }
    return allocate_at_any(bytes, site, slow_path);
}

void* Route::allocate_at_any(size_t bytes, Site& site, SlowMalloc slow_path) {
    void* object = serve({bytes, 0, &site});
    return object != nullptr ? object : slow_path(bytes);
}

void* Route::allocate_zeroed_at(size_t bytes, Site& site, SlowMalloc slow_path) {
    void* object = serve_zeroed({bytes, 0, &site});
    return object != nullptr ? object : slow_path(bytes);
}

void* Route::allocate_in_region_slow(size_t bytes, SlowMalloc slow_path) {
    void* object = process_heaps.allocate_in_region({bytes, 0});
    return object != nullptr ? object : slow_path(bytes);
}

void* Route::allocate_zeroed_in_region(size_t bytes, SlowMalloc slow_path) {
    void* object = process_heaps.allocate_in_region({bytes, 0});
    return object != nullptr ? memset(object, 0, bytes) : slow_path(bytes);
}

bool Route::open_sites(const heaps::PlanFile* plan, Sites::Learning learning) {
    has_plan_ = plan != nullptr;
    planned_slots_ = has_plan_ ? plan->header().slots_count : 0;
    const bool is_open = sites_.open(plan, learning);
    if (process_heaps.groups.count() != 0) {
        deallocate_slow_ = deallocate_grouped;
    }
    common_end_ = has_pools() && learning.learns ? Sites::largest_pooled + 1 : 0;
    const auto choose_anew = [](void* route) { static_cast<Route*>(route)->choose_entries(); };
    if (ways_ != nullptr) {
        fallback().leave_others_to(ways_->others, choose_anew, this);
    }
    sites_.when_served_by_size(choose_anew, this);
    return is_open;
}

const char* Route::open_region_heap(const char* name) {
    const char* const opened = process_heaps.open_region_heap(name);
    choose_paths_of_region();
    return opened;
}

// Functions that call nothing on their common way, and go on by a jump else.
void Route::choose_paths_of_region() {
#define KNOWN_HEAP(type, name)
#define HEAP(type, name)                                                                   \
    if (process_heaps.serves(&process_heaps.name)) {                                       \
        region_path_ = [](size_t bytes, SlowMalloc slow_path) {                            \
            void* const object = ProcessHeaps::take_at_hand(process_heaps.name, bytes);    \
            return object != nullptr ? object : allocate_in_region_slow(bytes, slow_path); \
        };                                                                                 \
        deallocate_slow_ = [](void* object) {                                              \
            if (!ProcessHeaps::give_at_hand(process_heaps.name, object)) {                 \
                deallocate_elsewhere(object);                                              \
            }                                                                              \
        };                                                                                 \
    }
#include MALLOOM_PROCESS_HEAPS
#undef HEAP
}

void Route::go(Way way) {
    const auto choose = [](auto& word, auto wanted) { __atomic_store_n(&word, wanted, __ATOMIC_RELEASE); };
    choose(in_region_, way == Way::region ? region_path_ : nullptr);
    choose(marked_end_, way == Way::pools_alone && common_end_ != 0 ? fallback().marked_end() : size_t{0});
    choose(is_fallbacks_, way == Way::fallback && fallback().has_plain(has_plan_ || has_pools()));
    choose_entries();
}

// Each by itself: whatever mixture a thread sees serves any request and takes back any object.
void Route::choose_entries() {
    if (ways_ == nullptr) {
        return;
    }
    const malloom_entries& wanted = __atomic_load_n(&is_fallbacks_, __ATOMIC_ACQUIRE) ? fallback().plain()
                                    : has_guards_                                     ? ways_->guarded
                                    : sites_.serves_by_size()                         ? ways_->by_size
                                    : sites_.are_in_mimalloc()                        ? ways_->in_mimalloc
                                                                                      : ways_->asked;
    const auto choose = [&](auto malloom_entries::* entry) {
        __atomic_store_n(&(ways_->now.*entry), wanted.*entry, __ATOMIC_RELEASE);
    };
    choose(&malloom_entries::allocate);
    choose(&malloom_entries::release);
    choose(&malloom_entries::allocate_zeroed);
    choose(&malloom_entries::reallocate);
    choose(&malloom_entries::allocate_aligned);
    choose(&malloom_entries::allocate_into);
    choose(&malloom_entries::create);
    choose(&malloom_entries::create_aligned);
}

}  // namespace malloom::front
