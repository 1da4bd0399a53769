// The process heap of libmalloom.so: finds out who asks, and asks the heaps.
#pragma once

#include <string.h>

#include <atomic>

#include "runtime/context/caller.h"
#include "runtime/context/shared_walks.h"
#include "runtime/front/options.h"
#include "runtime/front/plan_saving.h"
#include "runtime/front/process_heap.h"
#include "runtime/front/process_heaps.h"
#include "runtime/front/sites.h"
#include "runtime/front/statistics.h"
#include "runtime/heaps/plan/slot_matching.h"

namespace malloom::front {

/// One static object, constant-initialized: requests come before any constructor has run.
class RunTime {
  public:
    /// allocate, allocate_zeroed and reallocate set errno themselves, so that they end in tail calls.
    static constexpr bool sets_errno = true;

    // The fallback's, while there is nothing else; and slots of call sites. See FastProcessHeap.
    [[gnu::always_inline]] static void* allocate_from_fallback(size_t bytes) {
        return heaps::FallbackHeap::allocate_plain(bytes);
    }
    [[gnu::always_inline]] static void* allocate_aligned_from_fallback(size_t alignment, size_t bytes) {
        return heaps::FallbackHeap::allocate_plain_aligned(alignment, bytes);
    }
    [[gnu::always_inline]] void* allocate_pooled(size_t bytes, uintptr_t return_address) const {
        return sites_.allocate_pooled(bytes, return_address);
    }
    template <class FromFallback, class Colocated, class SlowPath>
    [[gnu::always_inline]] void* allocate_fast(size_t bytes, uintptr_t return_address, uintptr_t place,
                                               FromFallback from_fallback, Colocated colocated,
                                               SlowPath slow_path) {
        if (is_plain(bytes, plain_span_)) {
            return from_fallback(bytes);
        }
        if (in_region_ != nullptr) {
            return in_region_(bytes, slow_path);
        }
        if (is_unpoolable(bytes)) {
            return allocate_marked(bytes, slow_path);
        }
        if (void* object = sites_.allocate_reached(bytes, return_address, place)) {
            return object;
        }
        Site* site = sites_.find_fast(return_address);
        if (site == nullptr) [[unlikely]] {
            return slow_path(bytes);
        }
        if (site->colocation.has_fast_path(bytes)) {
            return colocated(bytes, site->colocation);
        }
        if (asks_the_caller(*site)) {
            return slow_path(bytes);  // knows the caller
        }
        if (void* object = allocate_small(bytes, 0, *site)) [[likely]] {
            return object;
        }
        return is_plain(bytes, span_of(*site)) ? from_fallback(bytes) : allocate_at(bytes, *site, slow_path);
    }
    template <class SlowPath>
    [[gnu::always_inline]] void* allocate_zeroed_fast(size_t bytes, uintptr_t return_address, uintptr_t place,
                                                      SlowPath slow_path) {
        if (is_plain(bytes, plain_span_)) {
            return heaps::FallbackHeap::allocate_plain_zeroed(bytes);
        }
        if (in_region_ != nullptr) {
            return allocate_zeroed_in_region(bytes, slow_path);
        }
        if (is_unpoolable(bytes)) {
            return allocate_marked_zeroed(bytes, slow_path);
        }
        if (void* object = sites_.allocate_reached(bytes, return_address, place)) {
            return memset(object, 0, bytes);
        }
        Site* site = sites_.find_fast(return_address);
        if (site == nullptr) [[unlikely]] {
            return slow_path(bytes);
        }
        if (asks_the_caller(*site)) {
            return slow_path(bytes);
        }
        if (void* object = allocate_small(bytes, 0, *site)) [[likely]] {
            return memset(object, 0, bytes);
        }
        return is_plain(bytes, span_of(*site)) ? heaps::FallbackHeap::allocate_plain_zeroed(bytes)
                                               : allocate_zeroed_at(bytes, *site, slow_path);
    }
    template <class FromFallback, class SlowPath>
    [[gnu::always_inline]] void* allocate_aligned_fast(size_t alignment, size_t bytes,
                                                       uintptr_t return_address, FromFallback from_fallback,
                                                       SlowPath slow_path) {
        if (alignment > heaps::FallbackHeap::largest_plain_alignment) [[unlikely]] {
            return slow_path(alignment, bytes);
        }
        if (is_plain(bytes, plain_span_)) {
            return from_fallback(alignment, bytes);
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
        return is_plain(bytes, span_of(*site)) ? from_fallback(alignment, bytes)
                                               : slow_path(alignment, bytes);
    }
    template <class SlowPath>
    [[gnu::always_inline]] void* reallocate_fast(void* object, size_t bytes, SlowPath slow_path) {
        if (is_plain(bytes, plain_span_) && heaps::FallbackHeap::owns_plain(object)) {
            return heaps::FallbackHeap::reallocate_plain(object, bytes);
        }
        return slow_path(object, bytes);
    }

    /// An object beside its companion, where a chunk waits there; else null.
    [[gnu::always_inline]] static void* allocate_waiting(const Colocation& colocation, uintptr_t companion) {
        return colocation.allocate_waiting(companion);
    }
    /// The same where none waits.
    static void* begin_run(const Colocation& colocation, uintptr_t companion) {
        return colocation.begin_run(companion);
    }
    /// For a call in a wrapper: a chunk of a pool that is at hand, or null.
    [[gnu::always_inline]] void* allocate_reached(size_t bytes, const context::Caller& caller) {
        Site* wrapper = sites_.find_fast(caller.return_address);
        if (wrapper == nullptr || !is_wrapper(*wrapper)) {
            return nullptr;
        }
        Site* site = sites_.reach_fast(*wrapper, caller);
        if (site == nullptr || site->kind() != Site::Kind::pooled) {
            return nullptr;
        }
        const SitePool pool = site->pooled.now();
        return wrapper->charge(site->end()) && pool.bytes == bytes
                   ? process_heaps.pools.allocate_fast(pool.borrower)
                   : nullptr;
    }

    void* allocate(size_t bytes, size_t alignment, const context::Caller& caller);
    void* allocate_zeroed(size_t bytes, const context::Caller& caller);
    /// As allocate with the default alignment and allocate_zeroed, where more is known of the caller.
    void* allocate_for_state(size_t bytes, const context::CallerState& caller);
    void* allocate_zeroed_for_state(size_t bytes, const context::CallerState& caller);
    void* reallocate(void* object, size_t bytes, const context::Caller& caller);

    [[gnu::always_inline]] void deallocate(void* object) {
        if (process_heaps.pools.release_fast(object)) {
            return;
        }
        if (heaps::FallbackHeap::owns_plain(object)) {
            heaps::FallbackHeap::deallocate_plain(object);
        } else if (!process_heaps.plan.release_small(object)) [[unlikely]] {
            deallocate_slow_(*this, object);
        }
    }
    size_t usable_size(void* object) const { return process_heaps.usable_size(object); }

    /// Reads the options and opens the plan, once; requests that come before do it too.
    void start();
    /// The line at the end and the plan that was learned, if they were asked for.
    void finish();

  private:
    /// A request whose requester the front knows.
    struct AskedFor {
        size_t bytes;
        size_t alignment;
        Asker* asker;

        operator heaps::Request() const { return {bytes, alignment, asker}; }  // NOLINT: it is one
    };

    // How requests find their slot. call_sites and fallback are the modes of programs that run in earnest.
    enum class Mode : uint8_t {
        starting,    ///< nobody has asked for anything yet
        fallback,    ///< no plan, or it has nothing more to give
        awaited,     ///< as fallback, while the optimiser waits for the program to ask for much
        call_sites,  ///< by the call site, and its callers where it lies in a wrapper
        chains,      ///< by chains of a fixed depth
        sequence,    ///< by sequence per thread
        region,      ///< as fallback, behind a region heap of process_heaps.def
        counted,     ///< as `matching_` says, with statistics
    };

    [[gnu::always_inline]] static bool is_plain(size_t bytes, size_t span) {
        return bytes - heaps::FallbackHeap::plain_least < span;
    }
    [[gnu::always_inline]] static size_t span_of(const Asker& requester) {
        return __atomic_load_n(&requester.plain_span, __ATOMIC_RELAXED);
    }
    [[gnu::always_inline]] static bool asks_the_caller(const Site& site) {
        return site.kind() >= Site::Kind::colocated && !heaps::PlanHeap::has_slot(site);
    }
    [[gnu::always_inline]] static bool is_wrapper(const Site& site) {
        return site.kind() == Site::Kind::wrapper && !heaps::PlanHeap::has_slot(site);
    }
    // A pool's chunk or a slot, where either is at hand. That the thread's patience has ended is looked at in
    // the slow path, chunk or not.
    [[gnu::always_inline]] void* allocate_small(size_t bytes, size_t alignment, Asker& requester) {
        const SitePool pool = requester.pooled.now();
        if (pool.bytes == bytes && alignment <= heaps::PoolHeap::chunk_alignment) {
            if (void* object = Sites::take_at_hand(pool.borrower)) [[likely]] {
                return object;
            }
        }
        return process_heaps.plan.allocate_small(bytes, alignment, requester);
    }
    static heaps::FallbackHeap& fallback() { return process_heaps.fallback; }

    // Who asks for so much does not matter where there is no plan: no pool serves it.
    [[gnu::always_inline]] bool is_unpoolable(size_t bytes) const {
        return bytes > Sites::largest_pooled && bytes < marked_end_;
    }

    // What is less common of a call site that is known. Without memory `slow_path` says so.
    using SlowMalloc = void* (*)(size_t);
    using SlowAligned = void* (*)(size_t, size_t);
    [[gnu::noinline]] static void* allocate_marked(size_t bytes, SlowMalloc slow_path);
    [[gnu::noinline]] static void* allocate_marked_zeroed(size_t bytes, SlowMalloc slow_path);
    [[gnu::noinline]] static void* allocate_marked_aligned(size_t alignment, size_t bytes,
                                                           SlowAligned slow_path);
    [[gnu::noinline]] static void* allocate_in_region_slow(size_t bytes, SlowMalloc slow_path);
    [[gnu::noinline]] static void* allocate_zeroed_in_region(size_t bytes, SlowMalloc slow_path);
    [[gnu::noinline]] void* allocate_at(size_t bytes, Site& site, SlowMalloc slow_path);
    [[gnu::noinline]] void* allocate_at_any(size_t bytes, Site& site, SlowMalloc slow_path);
    [[gnu::noinline]] void* allocate_zeroed_at(size_t bytes, Site& site, SlowMalloc slow_path);
    static void deallocate_slow(RunTime& run_time, void* object) { run_time.deallocate_elsewhere(object); }
    void choose_paths_of_region();
    [[gnu::noinline]] void deallocate_elsewhere(void* object);
    [[gnu::noinline]] void deallocate_any(void* object);
    void* allocate_from_plan(const AskedFor& request);
    void* allocate_pooled(const AskedFor& request);
    void* allocate_common(const AskedFor& request);
    void* claim(const AskedFor& request);
    void observe_without_slot(const AskedFor& request);
    [[gnu::noinline]] void* allocate_for(const AskedFor& request);
    [[gnu::noinline]] void* allocate_by_chain(size_t bytes, size_t alignment, const context::Caller& caller);
    [[gnu::noinline]] void* allocate_by_chain_slow(size_t bytes, size_t alignment, Asker& requester);
    [[gnu::noinline]] void* allocate_by_mode(size_t bytes, size_t alignment, const context::Caller& caller);
    Mode mode_now();
    Asker& requester_of(size_t bytes, const context::Caller& caller);
    [[gnu::always_inline]] Asker& requester_of_chain(const context::Caller& caller) {
        Sites::Contexts::Entry* known = walks_.find(caller);
        return known != nullptr ? known->value : walk_to_requester(caller);
    }
    [[gnu::noinline]] Asker& walk_to_requester(const context::Caller& caller);
    Asker& requester_of_thread(size_t bytes);
    void start_thread(Asker& asker);
    void count_exhausted(Asker& requester);
    void stop_if_used_up();
    std::atomic<Mode>& serving_mode();
    [[gnu::noinline]] void count_awaited(size_t bytes);
    void set_mode(std::atomic<Mode>& mode, Mode wanted);
    void* counted(void* object, size_t bytes);
    [[gnu::noinline, gnu::cold]] static void* out_of_memory();

    void choose_fallback(const Options& options);
    void open_pools(const Options& options, Mode mode);
    bool open_plan(const Options& options);
    bool fits_program() const;
    Mode mode_of_plan() const;
    bool has_pools() const { return sites_.has_pools(); }
    bool has_groups() const { return process_heaps.groups.count() != 0; }

    /// Smaller requests without pools of their own come from common ones; 0 where none do.
    size_t common_end_ = 0;
    size_t plain_span_ = 0;  ///< of the fallback, in mode fallback; else 0
    // Of the region heap that is open, whose common case these have in them.
    using InRegion = void* (*)(size_t bytes, SlowMalloc slow_path);
    InRegion in_region_ = nullptr;  ///< in mode region: it is asked before all else
    InRegion region_path_ = nullptr;
    void (*deallocate_slow_)(RunTime& run_time, void* object) = deallocate_slow;
    std::atomic<Mode> mode_ = Mode::starting;
    std::atomic<Mode> matching_ = Mode::fallback;
    bool has_started_ = false;
    const char* state_ = "not asked for";
    heaps::PlanFile plan_;
    bool has_plan_ = false;  ///< it is good, and of this program
    Asker nobody_;           ///< for requests that have no slot and no group
    uint64_t threads_ = 0;   ///< threads that have asked for anything, when matching is by sequence
    Statistics statistics_;
    PlanSaving saving_;
    Sites sites_;
    context::SharedWalks<Sites::Contexts::Entry> walks_ = {};
    size_t marked_end_ = 0;  ///< of the fallback, where all that no pool may serve is the fallback's; else 0
};

static_assert(ProcessHeap<RunTime>);

}  // namespace malloom::front
