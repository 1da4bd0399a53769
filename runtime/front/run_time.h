// The process heap of libmalloom.so: finds out who asks; route.h says where that leads.
#pragma once

#include <atomic>

#include "runtime/context/caller.h"
#include "runtime/context/shared_walks.h"
#include "runtime/front/options.h"
#include "runtime/front/plan_saving.h"
#include "runtime/front/process_heap.h"
#include "runtime/front/route.h"
#include "runtime/front/statistics.h"
#include "runtime/heaps/plan/slot_matching.h"
#include "runtime/platform/system_calls.h"

namespace malloom::front {

/// Of the one object of RunTime; by name, so that an entry is one jump through it.
extern constinit EntryWays entry_ways [[gnu::visibility("hidden")]];

/// One static object, constant-initialized: requests come before any constructor has run. The entries' fast
/// paths are the route's.
class RunTime : public Route {
  public:
    constexpr RunTime() : Route(entry_ways) {}
    [[gnu::always_inline]] static const malloom_entries& entries() { return entry_ways.now; }

    /// allocate, allocate_zeroed and reallocate set errno themselves, so that they end in tail calls.
    static constexpr bool sets_errno = true;

    /// Whether who asks may be a compiler's token: a Caller whose return address is one's key.
    [[gnu::always_inline]] static bool takes_tokens() {
        return __atomic_load_n(&takes_tokens_, __ATOMIC_RELAXED);
    }

    void* allocate(size_t bytes, size_t alignment, const context::Caller& caller);
    void* allocate_zeroed(size_t bytes, const context::Caller& caller);
    /// As allocate with the default alignment and allocate_zeroed, where more is known of the caller.
    void* allocate_for_state(size_t bytes, const context::CallerState& caller);
    void* allocate_zeroed_for_state(size_t bytes, const context::CallerState& caller);
    void* reallocate(void* object, size_t bytes, const context::Caller& caller);
    size_t usable_size(const void* object) const;
    /// Ends the program where something was written past the end of the object. Null is none.
    void check_guard(const void* object) const;

    /// Reads the options and opens the plan, once; requests that come before do it too.
    void start();
    /// Asks the system now for what it would be asked for later, and from then on for memory alone. Any
    /// thread.
    void prepare_for_few_calls() {
        plan_.fetch_all_slots();
        process_heaps.fallback.ask_system_less();
        platform::call_for_memory_alone();
    }
    /// The system ends the process at the calling thread's next call. Any thread.
    static void prepare_for_no_calls() {
        process_heaps.fallback.ask_system_no_more();
        platform::call_nothing();
    }
    /// It did not come to that. The calling thread, which prepared for it.
    static void expect_calls_again() {
        platform::call_again();
        process_heaps.fallback.ask_system_again();
    }
    /// The line at the end and the plan that was learned, if they were asked for.
    void finish();

  private:
    // How requests find their slot. call_sites and fallback are the modes of programs that run in earnest.
    enum class Mode : uint8_t {
        starting,    ///< nobody has asked for anything yet
        fallback,    ///< no plan, or it has nothing more to give
        awaited,     ///< as fallback, while the optimiser waits for the program to ask for much
        call_sites,  ///< by the call site, and its callers where it lies in a wrapper
        chains,      ///< by chains of a fixed depth
        sequence,    ///< by sequence per thread
        region,      ///< as fallback, behind a region heap of process_heaps.def
        counted,     ///< as `matching_` says, with statistics or guards
    };

    [[gnu::noinline]] void* allocate_by_chain(size_t bytes, size_t alignment, const context::Caller& caller);
    [[gnu::noinline]] void* allocate_by_mode(size_t bytes, size_t alignment, const context::Caller& caller);
    Mode mode_now();
    Requester& requester_of(size_t bytes, const context::Caller& caller);
    [[gnu::always_inline]] Requester& requester_of_chain(const context::Caller& caller) {
        Sites::Contexts::Entry* known = walks_.find(caller);
        return known != nullptr ? known->value : walk_to_requester(caller);
    }
    [[gnu::noinline]] void* allocate_without_place(size_t bytes, size_t alignment, Requester& requester,
                                                   const context::Caller& caller);
    void note_without_place(Requester& requester, const context::Caller& caller);
    void leave(Site& site);
    [[gnu::noinline]] Requester& walk_to_requester(const context::Caller& caller);
    Requester& requester_of_thread(size_t bytes);
    void start_thread(Requester& requester);
    void end_plan();
    std::atomic<Mode>& serving_mode();
    [[gnu::noinline]] void count_awaited(size_t bytes);
    void set_mode(std::atomic<Mode>& mode, Mode wanted);
    Way way_of(Mode mode) const;
    size_t room_for(size_t bytes) const;
    static size_t asked_for(const void* object, size_t usable);
    void* counted(void* object, size_t bytes, const context::Caller& caller);
    [[gnu::noinline, gnu::cold]] static void* out_of_memory();

    void choose_fallback(const Options& options);
    void open_pools(const Options& options, Mode mode);
    bool open_plan(const Options& options);
    Mode mode_of_plan() const;

    std::atomic<Mode> mode_ = Mode::starting;
    std::atomic<Mode> matching_ = Mode::fallback;
    static inline bool takes_tokens_ = false;
    bool wants_tokens_ = false;
    bool has_started_ = false;
    bool has_statistics_ = false;
    const char* state_ = "not asked for";
    uint64_t ended_at_ = 0;  ///< as PlanFate
    heaps::PlanFile plan_;
    bool has_plan_ = false;  ///< it is good, and of this program
    Requester nobody_;       ///< for requests that have no slot and no group
    uint64_t threads_ = 0;   ///< threads that have asked for anything, when matching is by sequence
    Statistics statistics_;
    PlanSaving saving_;
    context::SharedWalks<Sites::Contexts::Entry> walks_ = {};
};

static_assert(ProcessHeap<RunTime>);

}  // namespace malloom::front
