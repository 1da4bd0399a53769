// A call site, or the chain of a call site and its callers, as the run time knows it.
#pragma once

#include <stdint.h>

#include <atomic>

#include "runtime/context/reach.h"
#include "runtime/context/request_monitor.h"
#include "runtime/front/friendship.h"
#include "runtime/heaps/heap.h"

namespace malloom::front {

/// Lives as long as the process. Threads race for what is written after it was made known.
struct Site : heaps::Requester {
    /// Who decides where the requests go that the plan has no slot for. Of the last two the caller is asked.
    enum class Kind : uint8_t {
        settled,  ///< the plan, or nobody: the fallback serves them
        watched,  ///< the monitor, in a while
        pooled,   ///< its pool; `is_watched` where the monitor may change that
        friends,  ///< its objects' friends, or the search for them; else as pooled
        wrapper,  ///< its callers, each a site of its own
    };

    Kind kind() const { return kind_.load(std::memory_order_relaxed); }
    void set_kind(Kind kind) { kind_.store(kind, std::memory_order_relaxed); }

    uintptr_t return_address = 0;
    uintptr_t key = 0;                ///< in the table of sites: Reach::key
    uint32_t unmatched_in_a_row = 0;  ///< chains: requests through this site that had no slot, pool or group
    int32_t credit = most_credit;     ///< wrappers: see note_end
    Site* below = nullptr;            ///< the wrapper that it is a caller of
    context::Step step;               ///< to its callers; known of wrappers and their callers
    context::RequestMonitor monitor;
    Friendship friendship;

    /// What a request of a wrapper came to. Reaching its callers costs more than the fallback: where it
    /// hardly ever leads to a pool, the wrapper is left alone. False where it comes to that.
    bool note_end(bool is_pooled) {
        const int32_t now = __atomic_load_n(&credit, __ATOMIC_RELAXED);
        const int32_t after = is_pooled ? now + 2 : now - 1;
        __atomic_store_n(&credit, after < most_credit ? after : most_credit, __ATOMIC_RELAXED);
        return after > 0;
    }

  private:
    static constexpr int32_t most_credit = 1024;

    std::atomic<Kind> kind_ = Kind::settled;
};

}  // namespace malloom::front
