// The process heap of libmalloom.so: finds out who asks, and asks the heaps.
#pragma once

#include <atomic>

#include "runtime/context/caller.h"
#include "runtime/context/context_table.h"
#include "runtime/front/options.h"
#include "runtime/front/process_heap.h"
#include "runtime/front/statistics.h"
#include "runtime/heaps/run_time_heap.h"
#include "runtime/heaps/sequence.h"

namespace malloom::front {

/// One static object, constant-initialized: requests come before any constructor has run.
class RunTime {
  public:
    /// allocate, allocate_zeroed and reallocate set errno themselves, so that they end in tail calls.
    static constexpr bool sets_errno = true;

    /// What programs ask most: the fallback while there is nothing else, or a small slot of a call site while
    /// the process has one thread.
    [[gnu::always_inline]] void* allocate_quickly(size_t bytes, uintptr_t return_address) {
        if (bytes - heaps::FallbackHeap::plain_least < plain_span_) {
            return heaps::FallbackHeap::allocate_plain(bytes);
        }
        const Recent& recent = recent_[return_address % recent_sites];
        if (recent.key != return_address || !structures::alone()) [[unlikely]] {
            return nullptr;
        }
        Requester& requester = recent.site->requester;
        return heap_.first.has_slot(requester) ? heap_.first.allocate_small(bytes, requester)
                                               : allocate_unmatched(bytes, requester);
    }

    void* allocate(size_t bytes, size_t alignment, const context::Caller& caller);
    void* allocate_zeroed(size_t bytes, const context::Caller& caller);
    void* reallocate(void* object, size_t bytes, const context::Caller& caller);

    [[gnu::always_inline]] void deallocate(void* object) {
        if (heap_.first.owns(object)) {
            heap_.first.deallocate(object);
        } else if (heaps::FallbackHeap::owns_plainly(object)) [[likely]] {
            heaps::FallbackHeap::deallocate_plain(object);
        } else {
            deallocate_otherwise(object);
        }
    }
    size_t usable_size(void* object) const { return heap_.usable_size(object); }

    /// Reads the options and opens the plan, once; requests that come before do it too.
    void start();
    /// The line at the end, if it was asked for.
    void finish();

  private:
    using Requester = heaps::Requester;

    // How requests find their slot. call_sites and fallback are the modes of programs that run in earnest.
    enum class Mode : uint8_t {
        starting,    ///< nobody has asked for anything yet
        fallback,    ///< no plan, or it has nothing more to give
        call_sites,  ///< contexts of depth 1
        chains,      ///< deeper contexts
        sequence,    ///< by sequence per thread
        counted,     ///< as `matching_` says, with statistics
    };

    struct Site {
        uintptr_t return_address = 0;
        uint32_t unmatched_in_a_row =
            0;  ///< chains: requests through this site that had no slot and no group
        Requester requester;
    };
    using Sites = context::ContextTable<Site>;

    // Call sites that were met lately, by the low bits of the return address. The key is the return address,
    // or its complement where allocate_quickly must not find it: in any mode but call_sites. Racing
    // threads may leave the key of one site with another; requests then get that one's slots.
    struct Recent {
        uintptr_t key;
        Site* site;
    };
    static constexpr size_t recent_sites = 1024;

    [[gnu::always_inline]] Site& site_at(uintptr_t return_address) {
        const Recent& recent = recent_[return_address % recent_sites];
        const uintptr_t key = __atomic_load_n(&recent.key, __ATOMIC_ACQUIRE);
        return key == (return_address ^ key_mask_) ? *__atomic_load_n(&recent.site, __ATOMIC_RELAXED)
                                                   : find_site(return_address);
    }
    heaps::FallbackHeap& fallback() { return heap_.rest.rest; }

    [[gnu::noinline]] Site& find_site(uintptr_t return_address);
    [[gnu::noinline]] void* allocate_unmatched(size_t bytes, const Requester& requester);
    [[gnu::noinline]] void deallocate_otherwise(void* object);
    void* allocate_from_rest(size_t bytes, size_t alignment, Requester& requester);
    Mode mode_now();
    Requester& requester_of(size_t bytes, const context::Caller& caller);
    Requester& requester_of_chain(const context::Caller& caller);
    Requester& requester_of_thread(size_t bytes);
    void start_thread(heaps::ThreadSequence& sequence);
    void describe(Site& site, const uintptr_t* frames, unsigned depth) const;
    void note_exhausted(Requester& requester);
    void stop_if_used_up();
    void set_mode(std::atomic<Mode>& mode, Mode wanted);
    void* counted(void* object);
    [[gnu::noinline, gnu::cold]] static void* out_of_memory();

    bool open_plan(const Options& options);
    bool fits_program() const;
    Mode mode_of_plan() const;
    bool has_groups() const { return heap_.rest.first.count() != 0; }

    size_t plain_span_ = 0;  ///< of the fallback, in mode fallback; else 0
    std::atomic<Mode> mode_ = Mode::starting;
    std::atomic<Mode> matching_ = Mode::fallback;
    bool has_started_ = false;
    const char* state_ = "not asked for";
    heaps::RunTimeHeap heap_;
    heaps::PlanFile plan_;
    Requester nobody_;      ///< for requests that have no slot and no group
    uint64_t threads_ = 0;  ///< threads that have asked for anything, when matching is by sequence
    Statistics statistics_;
    Sites sites_;
    uintptr_t key_mask_ = 0;
    Recent recent_[recent_sites] = {};
};

static_assert(ProcessHeap<RunTime>);

}  // namespace malloom::front
