#include "runtime/front/run_time.h"

#include <errno.h>

#include "runtime/context/call_chain.h"
#include "runtime/platform/real_allocator.h"

namespace malloom::front {

using context::Caller;

namespace {

// Where this thread is in its sequence. Outside RunTime only because a member cannot be thread-local.
struct ThreadPlace {
    Asker asker;
    heaps::ThreadSequence sequence;
    bool is_known = false;
};
[[gnu::tls_model("initial-exec")]] constinit thread_local ThreadPlace thread_place;

}  // namespace

// A request that comes while start() runs, from start() itself or another thread, gets the fallback.
RunTime::Mode RunTime::mode_now() {
    if (mode_.load(std::memory_order_acquire) == Mode::starting) {
        start();
    }
    const Mode mode = mode_.load(std::memory_order_acquire);
    return mode == Mode::starting ? Mode::fallback : mode;
}

void* RunTime::out_of_memory() {
    errno = ENOMEM;
    return nullptr;
}

void* RunTime::allocate_from_plan(const AskedFor& request) {
    if (process_heaps.plan.has_slot(*request.asker)) {
        return process_heaps.plan.allocate(request);
    }
    observe_without_slot(request);
    return nullptr;
}

void RunTime::observe_without_slot(const AskedFor& request) {
    Asker& requester = *request.asker;
    count_exhausted(requester);
    if (requester.is_watched && requester.pooled.now().bytes != request.bytes &&
        request.alignment <= heaps::PoolHeap::chunk_alignment) {
        sites_.observe(static_cast<Site&>(requester), request.bytes);
    }
}

void* RunTime::allocate_marked(size_t bytes, SlowMalloc slow_path) {
    void* object = fallback().allocate_marked(bytes);
    return object != nullptr ? object : slow_path(bytes);
}

void* RunTime::allocate_marked_zeroed(size_t bytes, SlowMalloc slow_path) {
    void* object = fallback().allocate_marked_zeroed(bytes);
    return object != nullptr ? object : slow_path(bytes);
}

void* RunTime::allocate_marked_aligned(size_t alignment, size_t bytes, SlowAligned slow_path) {
    void* object = fallback().allocate_marked_aligned(alignment, bytes);
    return object != nullptr ? object : slow_path(alignment, bytes);
}

void* RunTime::allocate_at(size_t bytes, Site& site, SlowMalloc slow_path) {
    if (__atomic_load_n(&site.is_systems, __ATOMIC_RELAXED)) {
        void* object = platform::real::allocate(bytes);
        return object != nullptr ? object : slow_path(bytes);
    }
    if (!process_heaps.plan.has_slot(site)) {
        if (void* object = process_heaps.groups.allocate_small(bytes, site.group)) [[likely]] {
            return object;
        }
    }
    return allocate_at_any(bytes, site, slow_path);
}

void* RunTime::allocate_at_any(size_t bytes, Site& site, SlowMalloc slow_path) {
    const AskedFor request = {bytes, 0, &site};
    void* object = allocate_for(request);
    return object != nullptr ? object : slow_path(bytes);
}

// Functions that call nothing on their common way, and go on by a jump else.
void RunTime::choose_paths_of_region() {
#define KNOWN_HEAP(type, name)
#define HEAP(type, name)                                                                   \
    if (process_heaps.serves(&process_heaps.name)) {                                       \
        region_path_ = [](size_t bytes, SlowMalloc slow_path) {                            \
            void* const object = ProcessHeaps::take_at_hand(process_heaps.name, bytes);    \
            return object != nullptr ? object : allocate_in_region_slow(bytes, slow_path); \
        };                                                                                 \
        deallocate_slow_ = [](RunTime& run_time, void* object) {                           \
            if (!ProcessHeaps::give_at_hand(process_heaps.name, object)) {                 \
                run_time.deallocate_elsewhere(object);                                     \
            }                                                                              \
        };                                                                                 \
    }
#include MALLOOM_PROCESS_HEAPS
#undef HEAP
}

void* RunTime::allocate_in_region_slow(size_t bytes, SlowMalloc slow_path) {
    void* object = process_heaps.allocate_in_region({bytes, 0});
    return object != nullptr ? object : slow_path(bytes);
}

void* RunTime::allocate_zeroed_in_region(size_t bytes, SlowMalloc slow_path) {
    void* object = process_heaps.allocate_in_region({bytes, 0});
    return object != nullptr ? memset(object, 0, bytes) : slow_path(bytes);
}

void* RunTime::allocate_zeroed_at(size_t bytes, Site& site, SlowMalloc slow_path) {
    const AskedFor request = {bytes, 0, &site};
    if (void* object = claim(request)) {
        return memset(object, 0, bytes);
    }
    void* object = fallback().allocate_zeroed(request);
    return object != nullptr ? object : slow_path(bytes);
}

void* RunTime::allocate(size_t bytes, size_t alignment, const Caller& caller) {
    return mode_.load(std::memory_order_relaxed) == Mode::chains ? allocate_by_chain(bytes, alignment, caller)
                                                                 : allocate_by_mode(bytes, alignment, caller);
}

void* RunTime::allocate_for_state(size_t bytes, const context::CallerState& caller) {
    void* object = sites_.allocate_colocated(bytes, caller);
    return object != nullptr ? counted(object, bytes) : allocate(bytes, 0, caller.caller());
}

void* RunTime::allocate_zeroed_for_state(size_t bytes, const context::CallerState& caller) {
    void* object = sites_.allocate_colocated(bytes, caller);
    return object != nullptr ? counted(memset(object, 0, bytes), bytes)
                             : allocate_zeroed(bytes, caller.caller());
}

void* RunTime::allocate_by_mode(size_t bytes, size_t alignment, const Caller& caller) {
    const Mode mode = mode_.load(std::memory_order_relaxed);
    if (mode == Mode::fallback) {
        void* object = fallback().allocate({bytes, alignment, &nobody_});
        return object != nullptr ? object : out_of_memory();
    }
    Asker& requester = mode == Mode::call_sites ? sites_.deciding(caller) : requester_of(bytes, caller);
    return counted(allocate_for({bytes, alignment, &requester}), bytes);
}

void* RunTime::allocate_by_chain(size_t bytes, size_t alignment, const Caller& caller) {
    Asker& requester = requester_of_chain(caller);
    if (void* object = allocate_small(bytes, alignment, requester)) [[likely]] {
        return object;
    }
    if (alignment == 0 && is_plain(bytes, span_of(requester))) {
        return heaps::FallbackHeap::allocate_plain(bytes);
    }
    return allocate_by_chain_slow(bytes, alignment, requester);
}

void* RunTime::allocate_by_chain_slow(size_t bytes, size_t alignment, Asker& requester) {
    void* object = allocate_for({bytes, alignment, &requester});
    return object != nullptr ? object : out_of_memory();
}

void* RunTime::allocate_pooled(const AskedFor& request) {
    const SitePool pool = request.asker->pooled.now();
    if (request.bytes != pool.bytes || request.alignment > heaps::PoolHeap::chunk_alignment) {
        return nullptr;
    }
    void* object = Sites::take_at_hand(pool.borrower);
    return object != nullptr ? object : sites_.allocate_pooled_slow(*request.asker, pool);
}

// What the fallback has not to serve.
void* RunTime::claim(const AskedFor& request) {
    if (void* object = allocate_from_plan(request)) {
        return object;
    }
    if (void* object = process_heaps.groups.allocate(request)) {
        return object;
    }
    if (void* object = allocate_pooled(request)) {
        return object;
    }
    void* object = allocate_common(request);
    return object != nullptr ? object : process_heaps.allocate_in_region(request);
}

// What is small costs less there than in the fallback behind a look for its site, and is looked at when it is
// freed.
void* RunTime::allocate_common(const AskedFor& request) {
    if (request.bytes >= common_end_ || request.alignment > heaps::PoolHeap::chunk_alignment) {
        return nullptr;
    }
    return sites_.allocate_common(request.bytes);
}

void* RunTime::allocate_for(const AskedFor& request) {
    void* object = claim(request);
    return object != nullptr ? object : fallback().allocate(request);
}

// mimalloc's where its objects have marks, else a region heap's, a group's, another thread's pool's, else
// null, an object of the plan in several words, the C library's, or another allocator's.
void RunTime::deallocate_elsewhere(void* object) {
    if (fallback().may_have_mark(object)) {
        fallback().deallocate_marked(object);
    } else if (process_heaps.release_in_region(object)) {
        return;
    } else if (process_heaps.groups.owns(object)) {
        process_heaps.groups.deallocate(object);
    } else if (process_heaps.pools.heap.arena().covers(object)) {
        process_heaps.pools.release(object);
    } else {
        deallocate_any(object);
    }
}

void RunTime::deallocate_any(void* object) {
    if (process_heaps.plan.owns(object)) {
        process_heaps.plan.release_any(object);
    } else if (object != nullptr) {
        fallback().deallocate(object);
    }
}

void* RunTime::allocate_zeroed(size_t bytes, const Caller& caller) {
    const AskedFor request = {bytes, 0, &requester_of(bytes, caller)};
    void* object = claim(request);
    return counted(object != nullptr ? memset(object, 0, bytes) : fallback().allocate_zeroed(request), bytes);
}

void* RunTime::reallocate(void* object, size_t bytes, const Caller& caller) {
    const AskedFor request = {bytes, 0, &requester_of(bytes, caller)};
    return counted(
        process_heaps.reallocate(object, request, [&](const heaps::Request&) { return claim(request); }),
        bytes);
}

void* RunTime::counted(void* object, size_t bytes) {
    if (object == nullptr) {
        return out_of_memory();
    }
    if (mode_.load(std::memory_order_relaxed) != Mode::counted) [[likely]] {
        return object;
    }
    if (process_heaps.plan.owns(object)) {
        statistics_.count_matched(bytes);
    } else if (process_heaps.groups.owns(object)) {
        statistics_.count_grouped();
    } else if (process_heaps.pools.owns(object)) {
        statistics_.count_pooled(bytes);
    } else if (process_heaps.owns_in_region(object)) {
        statistics_.count_in_region();
    } else {
        statistics_.count_fallback();
    }
    return object;
}

Asker& RunTime::requester_of(size_t bytes, const Caller& caller) {
    const Mode mode = mode_now();
    switch (mode == Mode::counted ? matching_.load(std::memory_order_relaxed) : mode) {
        case Mode::call_sites:
            return sites_.deciding(caller);
        case Mode::chains:
            return requester_of_chain(caller);
        case Mode::sequence:
            return requester_of_thread(bytes);
        case Mode::awaited:
            count_awaited(bytes);
            return nobody_;
        default:
            return nobody_;
    }
}

// Walking costs more than all the rest. A site of which so many walks in a row led to nothing is left alone.
Asker& RunTime::walk_to_requester(const Caller& caller) {
    constexpr uint32_t patience = 4096;
    Site& site = sites_.at(caller.return_address);
    if (__atomic_load_n(&site.unmatched_in_a_row, __ATOMIC_RELAXED) >= patience) {
        return nobody_;
    }
    const auto find = [this](const uintptr_t* frames, unsigned depth) -> Sites::Contexts::Entry& {
        return sites_.of_chain(frames, depth);
    };
    Asker& requester = walks_.walk(caller, plan_.header().depth, find).value;
    const bool has_place = process_heaps.plan.has_slot(requester) ||
                           requester.group != formats::plan::no_group || requester.is_watched ||
                           requester.pooled.now().bytes != formats::plan::no_pool;
    const uint32_t unmatched = has_place ? 0 : site.unmatched_in_a_row + 1;
    __atomic_store_n(&site.unmatched_in_a_row, unmatched, __ATOMIC_RELAXED);
    return requester;
}

Asker& RunTime::requester_of_thread(size_t bytes) {
    ThreadPlace& place = thread_place;
    if (!place.is_known) [[unlikely]] {
        place.is_known = true;
        start_thread(place.asker);
    }
    Asker& requester = place.asker;
    if (heaps::advance_sequence(place.sequence, requester, bytes)) [[likely]] {
        return requester;
    }
    if (!process_heaps.plan.has_slot(requester)) {
        count_exhausted(requester);
    } else if (place.sequence.unmatched_in_a_row >= heaps::sequence_patience) {
        process_heaps.plan.give_up(requester);
    }
    return nobody_;
}

void RunTime::start_thread(Asker& asker) {
    const uint64_t number = __atomic_fetch_add(&threads_, 1, __ATOMIC_RELAXED);
    const formats::plan::PlanSequence* found = plan_.sequence(number);
    if (found != nullptr) {
        process_heaps.plan.assign(asker, found->first_slot, found->slots);
    }
}

// Of a requester that the fallback may serve without asking again, once.
void RunTime::count_exhausted(Asker& requester) {
    if (has_pools()) {
        sites_.begin_planned_pool(requester);
    }
    if (common_end_ == 0 && requester.group == formats::plan::no_group && !requester.is_watched &&
        requester.pooled.now().bytes == formats::plan::no_pool) {
        __atomic_store_n(&requester.plain_span, fallback().plain_span(), __ATOMIC_RELAXED);
        __atomic_store_n(&requester.is_systems, fallback().is_system(), __ATOMIC_RELAXED);
    }
    if (!__atomic_load_n(&requester.is_counted, __ATOMIC_RELAXED)) {
        process_heaps.plan.count_exhausted(requester);
        stop_if_used_up();
    }
}

}  // namespace malloom::front
