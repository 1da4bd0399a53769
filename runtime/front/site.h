// A call site, or the chain of a call site and its callers, as the run time knows it.
#pragma once

#include <stdint.h>

#include <atomic>

#include "runtime/context/reach.h"
#include "runtime/context/request_monitor.h"
#include "runtime/front/colocation.h"
#include "runtime/heaps/plan/planned_context.h"
#include "runtime/heaps/pools/pool_heap.h"

namespace malloom::front {

/// The pools of a site, and the requests that they serve.
struct alignas(8) SitePool {
    /// Instead of bytes: small requests of any size come from the common pools of their size class.
    static constexpr uint32_t of_any_size = 0x7ffffffe;
    /// The same: all requests are mimalloc's.
    static constexpr uint32_t of_fallback = 0x7ffffffd;
    /// The same: a group of the plan serves them.
    static constexpr uint32_t of_group = 0x7ffffffc;

    /// Beside bytes: the pool is a heap of mimalloc's, and `client` its number.
    static constexpr size_t in_mimalloc = 0x80000000;

    uint32_t bytes = formats::plan::no_pool;  ///< of exactly these bytes
    uint32_t client = heaps::PoolHeap::none;  ///< of the pool heap

    static SitePool within_mimalloc(size_t bytes, uint32_t heap) {
        return {static_cast<uint32_t>(bytes + in_mimalloc), heap};
    }
    /// Of the requests that it serves; no_pool of none.
    uint32_t wanted_bytes() const { return bytes & ~static_cast<uint32_t>(in_mimalloc); }
    [[gnu::always_inline]] bool is_in_mimalloc_for(size_t wanted) const {
        return is_in_mimalloc() && bytes == wanted + in_mimalloc;
    }
    [[gnu::always_inline]] bool is_in_mimalloc() const { return (bytes & in_mimalloc) != 0; }

    /// Both at once: another thread may be giving the site another pool.
    [[gnu::always_inline]] SitePool now() const {
        return __builtin_bit_cast(SitePool, __atomic_load_n(word(), __ATOMIC_RELAXED));
    }
    void set(SitePool pool) {
        __atomic_store_n(const_cast<Word*>(word()), __builtin_bit_cast(uint64_t, pool), __ATOMIC_RELEASE);
    }

  private:
    using Word [[gnu::may_alias]] = uint64_t;
    [[gnu::always_inline]] const Word* word() const { return reinterpret_cast<const Word*>(this); }
};

/// What serves whoever asks where the plan has no slot. Before the requester, so that the common case is on
/// one line.
struct Served {
    uint64_t plain_end = 0;   ///< FallbackHeap::plain_end where nothing but the fallback serves it, else 0
    SitePool pooled;          ///< of requests that no slot serves
    bool is_systems = false;  ///< nothing but the next allocator serves it; atomic
    bool is_site = false;     ///< a Site, which others than sites and chains are not
    bool is_watched = false;  ///< each request that no slot and no pool serves is looked at
};

/// Whoever asks: a site, a thread where matching is by sequence, or nobody. On lines of its own, so that
/// threads in different contexts do not share them.
struct alignas(64) Requester : Served, heaps::PlannedContext {};

/// Lives as long as the process. Threads race for what is written after it was made known.
struct Site : Requester {
    /// Who decides where the requests go that the plan has no slot for. Of the last two the caller is asked.
    enum class Kind : uint8_t {
        settled,    ///< the plan, or nobody: what serves any request of the size does
        watched,    ///< the monitor, in a while
        pooled,     ///< its pool; `is_watched` where the monitor may change that
        colocated,  ///< its objects' companions, or the search for them; else as pooled
        wrapper,    ///< its callers, each a site of its own
    };

    Kind kind() const { return kind_.load(std::memory_order_relaxed); }
    void set_kind(Kind kind) { kind_.store(kind, std::memory_order_relaxed); }

    uintptr_t return_address = 0;
    uintptr_t key = 0;                ///< in the table of sites: Reach::key
    uint32_t unmatched_in_a_row = 0;  ///< chains: requests through this site that had no slot, pool or group
    int32_t credit = most_credit;     ///< wrappers: see note_end
    Site* below = nullptr;            ///< the wrapper that it is a caller of
    context::Step step;               ///< to its callers; known of wrappers and their callers
    bool is_left = false;             ///< chains: as Sites::leave
    bool was_looked_at = false;       ///< chains: whether it may be left, lately
    bool has_common_pool = false;     ///< its pool is the common one of its size class, until it gets its own
    bool is_planned = false;       ///< wrappers: of a plan of groups, which says that its callers have some
    uint64_t living_at_first = 0;  ///< objects of that class when it asked the class's pools first
    context::RequestMonitor monitor;
    Colocation colocation;

    /// What a request of a wrapper came to, and what that does to its credit. Reaching its callers costs more
    /// than what serves any size: some 8 ns. A page of objects with a place of their own may save a miss for
    /// each of its lines, as much as a thousand such requests cost; of a heap of mimalloc's and of a group
    /// nothing tells when it grows. So where a wrapper hardly ever leads to pools that grow, or to one of
    /// these, it is left alone after a while; a planned one later, as the program may come to what the plan
    /// knows. False where it comes to that.
    enum class End : int32_t { grown_pool = 1024, heap = 32, pools = -1, none = -16 };
    bool note_end(End end) {
        const int32_t before = __atomic_load_n(&credit, __ATOMIC_RELAXED);
        const int32_t change = end == End::none && is_planned ? -1 : static_cast<int32_t>(end);
        const int32_t after = before + change;
        const int32_t limited = after > most_credit ? most_credit : after < 0 ? 0 : after;
        if (limited != before) {  // threads share the line
            __atomic_store_n(&credit, limited, __ATOMIC_RELAXED);
        }
        return after > 0;
    }
    /// To its wrapper.
    End end() const {
        const bool has_pools = kind() == Kind::pooled || kind() == Kind::colocated;
        if (__atomic_load_n(&group, __ATOMIC_RELAXED) != formats::plan::no_group) {
            return End::heap;
        }
        return !has_pools ? End::none : pooled.now().is_in_mimalloc() ? End::heap : End::pools;
    }

    /// A planned wrapper that was left alone is asked again.
    void return_credit() { __atomic_store_n(&credit, most_credit, __ATOMIC_RELAXED); }

  private:
    static constexpr int32_t most_credit = 16384;

    std::atomic<Kind> kind_ = Kind::settled;
};

}  // namespace malloom::front
