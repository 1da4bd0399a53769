// The way of requests and objects through the heaps of a process: in which order the heaps are asked, whose
// an object is, and what common requests may leave out. Nothing else says so; the run time drives it, and so
// do the tests of what the heaps promise together.
#pragma once

#include <string.h>

#include "runtime/front/process_heaps.h"
#include "runtime/front/sites.h"

namespace malloom::front {

/// A request whose requester is known.
struct AskedFor {
    size_t bytes;
    size_t alignment;  ///< as of heaps::Request
    Requester* requester;

    operator heaps::Request() const { return {bytes, alignment, requester}; }  // NOLINT: it is one
};

/// The heap that has an object: a part of the plan, the pools, the region heap that serves, or none of them.
enum class Owner : uint8_t { plan, groups, pools, region, fallback };

/// What the entries of a product jump to, and what they may be told to jump to.
struct EntryWays {
    malloom_entries now;
    malloom_entries asked;        ///< who asks decides
    malloom_entries by_size;      ///< the common pools, whoever asks; then as `asked`
    malloom_entries in_mimalloc;  ///< as `asked`, where pools are heaps of mimalloc's
    malloom_entries guarded;      ///< as `asked`, where objects have guards (guards.h)
    malloom_entries others;       ///< where the fallback goes on with what is not its own
};

/// Of `process_heaps`. One static object, constant-initialized; until it is opened all is the fallback's.
/// Thread-safe where nothing else is said. What gives objects returns null where there is no memory.
class Route {
  public:
    using SlowMalloc = void* (*)(size_t);
    using SlowAligned = void* (*)(size_t, size_t);

    constexpr Route() = default;
    /// Entries follow where it goes; `ways.now` is first what `ways.asked` is.
    constexpr explicit Route(EntryWays& ways) : ways_(&ways) {}

    // ---- Who serves. Requests of a requester's: its slot, its group, its pool, a common pool, the region
    // heap, the fallback.

    void* serve(const AskedFor& request) {
        void* object = claim(request);
        return object != nullptr ? object : fallback().allocate(request);
    }
    void* serve_zeroed(const AskedFor& request) {
        void* object = claim(request);
        return object != nullptr ? memset(object, 0, request.bytes) : fallback().allocate_zeroed(request);
    }
    /// The same as serve, with the common cases first; sets errno where there is no memory.
    void* serve_soon(size_t bytes, size_t alignment, Requester& requester);
    /// As realloc, for an object that is not null and bytes that are not 0.
    void* serve_again(void* object, const AskedFor& request);

    // ---- Whose an object is.

    /// Null is nobody's.
    [[gnu::always_inline]] void deallocate(void* object) {
        if (process_heaps.pools.release_fast(object)) {
            return;
        }
        if (heaps::FallbackHeap::owns_plain(object)) {
            heaps::FallbackHeap::deallocate_plain(object);
        } else if (!process_heaps.plan.release_small(object)) [[unlikely]] {
            deallocate_slow_(object);
        }
    }
    static size_t usable_size(const void* object) {
        return process_heaps.with_owner(object, [=](auto& heap) { return heap.usable_size(object); });
    }
    static Owner owner(const void* object);
    /// Whether it is an object of a pool or of mimalloc: what has a guard where any has. Any pointer.
    static bool may_have_guard(const void* object) {
        return process_heaps.pools.heap.is_object(object) || fallback().has_mark(object);
    }

    // ---- The same for a call site that was met lately, and before it is known who asks. See
    // FastProcessHeap.

    [[gnu::always_inline]] static void* allocate_by_size(size_t bytes) {
        return Sites::allocate_by_size(bytes);
    }
    [[gnu::always_inline]] void* allocate_pooled(size_t bytes, uintptr_t return_address) const {
        return sites_.allocate_pooled(bytes, return_address);
    }
    template <class FromFallback, class Other>
    [[gnu::always_inline]] void* allocate_soon(size_t bytes, uintptr_t return_address,
                                               FromFallback from_fallback, Other other) const {
        return sites_.allocate_soon(bytes, return_address, from_fallback, other);
    }
    template <class FromFallback, class FromHeap, class Other>
    [[gnu::always_inline]] void* allocate_soon_in(size_t bytes, uintptr_t return_address,
                                                  FromFallback from_fallback, FromHeap from_heap,
                                                  Other other) const {
        return sites_.allocate_soon_in(bytes, return_address, from_fallback, from_heap, other);
    }
    /// Whether all requests of a site that was met lately are the fallback's, which is mimalloc.
    [[gnu::always_inline]] bool is_fallbacks(uintptr_t return_address) const {
        const Sites::Recent* recent = sites_.met_lately(return_address);
        return recent != nullptr && recent->is_fallbacks();
    }
    template <class FromFallback, class Colocated, class SlowPath>
    [[gnu::always_inline]] void* allocate_fast(size_t bytes, uintptr_t return_address, uintptr_t place,
                                               FromFallback from_fallback, Colocated colocated,
                                               SlowPath slow_path) {
        if (in_region_ != nullptr) {
            return in_region_(bytes, slow_path);
        }
        if (is_unpoolable(bytes)) {
            return allocate_marked(bytes, slow_path);
        }
        const Sites::Recent* recent = sites_.met_lately(return_address);
        if (recent == nullptr) [[unlikely]] {
            return slow_path(bytes);
        }
        if (recent->is_fallbacks()) {
            return from_fallback(bytes);
        }
        if (void* object = recent->take_grouped(bytes)) {
            return object;
        }
        if (const Sites::Recent* caller = sites_.reached_lately(*recent, return_address, place)) {
            if (caller->is_fallbacks() && recent->site->note_end(Site::End::none)) {
                return from_fallback(bytes);
            }
            if (void* object = Sites::allocate_reached(bytes, *recent, *caller)) {
                return object;
            }
        }
        Site* site = recent->site_now();
        if (site->colocation.has_fast_path(bytes)) {
            return colocated(bytes, site->colocation);
        }
        if (asks_the_caller(*site)) {
            return slow_path(bytes);  // knows the caller
        }
        if (void* object = allocate_small(bytes, 0, *site)) [[likely]] {
            return object;
        }
        return bytes < plain_end_of(*site) ? from_fallback(bytes) : allocate_at(bytes, *site, slow_path);
    }
    template <class SlowPath>
    [[gnu::always_inline]] void* allocate_zeroed_fast(size_t bytes, uintptr_t return_address, uintptr_t place,
                                                      SlowPath slow_path) {
        if (in_region_ != nullptr) {
            return allocate_zeroed_in_region(bytes, slow_path);
        }
        if (is_unpoolable(bytes)) {
            return allocate_marked_zeroed(bytes, slow_path);
        }
        const Sites::Recent* recent = sites_.met_lately(return_address);
        if (recent == nullptr) [[unlikely]] {
            return slow_path(bytes);
        }
        if (recent->is_fallbacks()) {
            return malloom_mimalloc_allocate_zeroed(1, bytes);
        }
        if (void* object = recent->take_grouped(bytes)) {
            return memset(object, 0, bytes);
        }
        const SitePool pool = recent->pooled.now();
        if (pool.is_in_mimalloc_for(bytes)) {
            if (void* object = malloom_mimalloc_try_in(bytes, pool.client)) [[likely]] {
                return memset(object, 0, bytes);
            }
        }
        if (const Sites::Recent* caller = sites_.reached_lately(*recent, return_address, place)) {
            if (caller->is_fallbacks() && recent->site->note_end(Site::End::none)) {
                return malloom_mimalloc_allocate_zeroed(1, bytes);
            }
            if (void* object = Sites::allocate_reached(bytes, *recent, *caller)) {
                return memset(object, 0, bytes);
            }
        }
        Site* site = recent->site_now();
        if (asks_the_caller(*site)) {
            return slow_path(bytes);
        }
        if (void* object = allocate_small(bytes, 0, *site)) [[likely]] {
            return memset(object, 0, bytes);
        }
        return bytes < plain_end_of(*site) ? malloom_mimalloc_allocate_zeroed(1, bytes)
                                           : allocate_zeroed_at(bytes, *site, slow_path);
    }
    template <class FromFallback, class SlowPath>
    [[gnu::always_inline]] void* allocate_aligned_fast(size_t alignment, size_t bytes,
                                                       uintptr_t return_address, FromFallback from_fallback,
                                                       SlowPath slow_path) {
        if (alignment > heaps::FallbackHeap::largest_plain_alignment) [[unlikely]] {
            return slow_path(alignment, bytes);
        }
        if (bytes < marked_end_ && alignment > heaps::PoolHeap::chunk_alignment) {
            return allocate_marked_aligned(alignment, bytes, slow_path);
        }
        Site* site = sites_.find_fast(return_address);
        if (site == nullptr) [[unlikely]] {
            return slow_path(alignment, bytes);
        }
        if (void* object = allocate_small(bytes, alignment, *site)) [[likely]] {
            return object;
        }
        return bytes < plain_end_of(*site) ? from_fallback(alignment, bytes) : slow_path(alignment, bytes);
    }

    /// An object beside its companion, where a chunk waits there; else null.
    [[gnu::always_inline]] static void* allocate_waiting(const Colocation& colocation, uintptr_t companion) {
        return colocation.allocate_waiting(companion);
    }
    /// The same where none waits.
    static void* begin_run(const Colocation& colocation, uintptr_t companion) {
        return colocation.begin_run(companion);
    }
    /// For a call in a wrapper: a chunk of a pool or of a group that is at hand, or null.
    [[gnu::always_inline]] void* allocate_reached(size_t bytes, const context::Caller& caller) {
        Site* wrapper = sites_.find_fast(caller.return_address);
        if (wrapper == nullptr || !is_wrapper(*wrapper)) {
            return nullptr;
        }
        Site* site = sites_.reach_fast(*wrapper, caller);
        if (site == nullptr || site->kind() != Site::Kind::pooled) {
            return site != nullptr ? allocate_grouped(bytes, *site) : nullptr;
        }
        const SitePool pool = site->pooled.now();
        if (pool.is_in_mimalloc_for(bytes)) {
            return noted(malloom_mimalloc_try_in(bytes, pool.client), *site);
        }
        return wrapper->note_end(site->end()) && pool.bytes == bytes
                   ? process_heaps.pools.allocate_fast(pool.client)
                   : nullptr;
    }

    // ---- What there is. Before the first request, in this order.

    /// Called when all slots of the plan are used up or given up, all groups have stopped, and nothing else
    /// serves: the fallback alone may go on. In any thread, and more than once.
    using WhenUsedUp = void (*)(Route& route);
    void when_used_up(WhenUsedUp told) { when_used_up_ = told; }
    /// As Sites::open. Sites that learn have common pools behind their own.
    bool open_sites(const heaps::PlanFile* plan, Sites::Learning learning);
    /// As ProcessHeaps::open_region_heap.
    const char* open_region_heap(const char* name);

    /// From now on each release looks at its object's guard: the entries go to those that do.
    void guard_objects() { has_guards_ = true; }
    bool has_guards() const { return has_guards_; }

    /// What requests may be served by before it is known who asks.
    enum class Way : uint8_t {
        asked,        ///< nothing: who asks decides
        pools_alone,  ///< the fallback, where they are too large for any pool: there is no plan
        region,       ///< the region heap that is open
        fallback,     ///< the fallback
    };
    /// At any time.
    void go(Way way);
    /// Of a requester without slots that are left: what serves it from now on is known.
    void count_exhausted(Requester& requester);

    Sites& sites() { return sites_; }
    bool has_pools() const { return sites_.has_pools(); }
    /// Whether a plan's pools are heaps of mimalloc's.
    [[gnu::always_inline]] bool pools_are_in_mimalloc() const { return sites_.are_in_mimalloc(); }

  protected:
    [[gnu::always_inline]] static size_t plain_end_of(const Requester& requester) {
        return __atomic_load_n(&requester.plain_end, __ATOMIC_RELAXED);
    }

  private:
    [[gnu::always_inline]] static void* allocate_grouped(size_t bytes, const Site& site) {
        return noted(Sites::take_grouped(bytes, site), site);
    }
    /// Tells the wrappers of a site of what they led to.
    [[gnu::always_inline]] static void* noted(void* object, const Site& site) {
        for (Site* each = site.below; object != nullptr && each != nullptr; each = each->below) {
            each->note_end(Site::End::heap);
        }
        return object;
    }
    using InRegion = void* (*)(size_t bytes, SlowMalloc slow_path);

    static heaps::FallbackHeap& fallback() { return process_heaps.fallback; }
    [[gnu::always_inline]] static bool asks_the_caller(const Site& site) {
        return site.kind() >= Site::Kind::colocated && !heaps::PlanHeap::has_slot(site);
    }
    [[gnu::always_inline]] static bool is_wrapper(const Site& site) {
        return site.kind() == Site::Kind::wrapper && !heaps::PlanHeap::has_slot(site);
    }
    // A pool's chunk or a slot, where either is at hand. That the thread asked for too many in a row is
    // looked at in the slow path, chunk or not.
    [[gnu::always_inline]] void* allocate_small(size_t bytes, size_t alignment, Requester& requester) {
        const SitePool pool = requester.pooled.now();
        if (pool.bytes == bytes && alignment <= heaps::PoolHeap::chunk_alignment) {
            if (void* object = Sites::take_at_hand(pool.client)) [[likely]] {
                return object;
            }
        }
        if (pool.is_in_mimalloc_for(bytes) && alignment <= heaps::PoolHeap::chunk_alignment) {
            if (void* object = malloom_mimalloc_try_in(bytes, pool.client)) [[likely]] {
                return object;
            }
        }
        return process_heaps.plan.allocate_small(bytes, alignment, requester);
    }
    // Who asks for so much does not matter where there is no plan: no pool serves it.
    [[gnu::always_inline]] bool is_unpoolable(size_t bytes) const {
        return bytes > Sites::largest_pooled && bytes < marked_end_;
    }

    [[gnu::noinline]] static void* serve_or_refuse(Route& route, size_t bytes, size_t alignment,
                                                   Requester& requester);
    void* claim(const AskedFor& request);
    void* claim_slot(const AskedFor& request);
    void* claim_grouped(const AskedFor& request);
    void* claim_pooled(const AskedFor& request);
    void* claim_common(const AskedFor& request);
    void observe_without_slot(const AskedFor& request);
    void tell_if_used_up();

    // What is less common of a call site that is known. Without memory `slow_path` says so.
    [[gnu::noinline]] static void* allocate_marked(size_t bytes, SlowMalloc slow_path);
    [[gnu::noinline]] static void* allocate_marked_zeroed(size_t bytes, SlowMalloc slow_path);
    [[gnu::noinline]] static void* allocate_marked_aligned(size_t alignment, size_t bytes,
                                                           SlowAligned slow_path);
    [[gnu::noinline]] static void* allocate_in_region_slow(size_t bytes, SlowMalloc slow_path);
    [[gnu::noinline]] static void* allocate_zeroed_in_region(size_t bytes, SlowMalloc slow_path);
    [[gnu::noinline]] void* allocate_at(size_t bytes, Site& site, SlowMalloc slow_path);
    [[gnu::noinline]] void* allocate_at_any(size_t bytes, Site& site, SlowMalloc slow_path);
    [[gnu::noinline]] void* allocate_zeroed_at(size_t bytes, Site& site, SlowMalloc slow_path);
    [[gnu::noinline]] static void deallocate_elsewhere(void* object);
    /// The same where there are groups, which have most of what comes here.
    [[gnu::noinline]] static void deallocate_grouped(void* object);
    void choose_paths_of_region();
    void choose_entries();

    /// Smaller requests without pools of their own come from common ones; 0 where none do.
    size_t common_end_ = 0;
    InRegion in_region_ = nullptr;    ///< on the way to the region heap: asked before all else
    InRegion region_path_ = nullptr;  ///< of the region heap that is open, with its common case in it
    void (*deallocate_slow_)(void* object) = deallocate_elsewhere;
    size_t marked_end_ = 0;  ///< of the fallback, where all that no pool may serve is the fallback's; else 0
    WhenUsedUp when_used_up_ = nullptr;
    bool has_plan_ = false;
    bool has_guards_ = false;
    EntryWays* ways_ = nullptr;  ///< null where no entries follow
    bool is_fallbacks_ = false;  ///< all is, and it needs no look
    uint64_t planned_slots_ = 0;
    Sites sites_;
};

}  // namespace malloom::front
