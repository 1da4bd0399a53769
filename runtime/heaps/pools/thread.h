// What a thread has of each client: a magazine of free chunks, and the pools that fill it. Only the thread
// itself touches it, but for the stack of pending pools; so it needs no locks.
#pragma once

#include "runtime/heaps/pools/magazine.h"
#include "runtime/heaps/pools/pool.h"

namespace malloom::heaps {

constexpr uint32_t most_clients = 8192;
/// So much a thread keeps of a client of which nothing lives, however few of its chunks are in the
/// magazine.
constexpr size_t small_pools_bytes = size_t{1} << 20;

/// What a thread has of a client.
struct LocalPools {
    Pool* owned;          ///< all its pools
    Pool* listed;         ///< those that have chunks
    MagazineSlot* slots;  ///< of its magazine; null before it has one
    uint64_t living;  ///< chunks of its pools that are objects or in the magazine, as far as it has looked
    uint32_t limit;   ///< slots that may be filled
    // Of those with a magazine, by client; the one that had it longest is last.
    uint32_t cached_next;
    uint32_t cached_before;
    uint32_t emptied_at;    ///< emptied_count when limit_cached emptied its magazine; 0: has not
    uint64_t cached_bytes;  ///< of pages that its magazine may keep from going back
    uint64_t owned_bytes;   ///< of all its pools' ranges
    uint16_t asked;         ///< for the front: requests before it opened a pool
    uint8_t order;          ///< of the next pool
    uint8_t magazine_order;
    bool is_kept;    ///< nothing of it lives, and its few pages stay
    bool was_given;  ///< others have given chunks of its pools back; atomic
};

/// The table of a thread. It lies in memory of its own and outlives the thread: the next one that begins
/// takes it over, with what others may still make pending in it.
struct alignas(64) PoolThread {
    bool is_busy;    ///< within the pool heap: a signal handler that comes then must not touch the table
    uint8_t mark;    ///< its objects' ChunkState
    uint8_t own;     ///< the state of objects that release_fast takes; nobodys where others have the mark too
    bool is_joined;  ///< a thread has it
    uint32_t rounds;        ///< for the front: of destructors that the ending thread has gone through
    int32_t left_in_a_row;  ///< for the front: see Sites
    MagazineClaim taking;   ///< of the fast paths, for the slow ones to end
    MagazineClaim putting;
    uint64_t spare_bytes;   ///< of ranges of mostly free pools
    uint32_t cached_first;  ///< those with a magazine; 0 for none
    uint32_t cached_last;
    uint64_t cached_bytes;   ///< of pages that their magazines may keep
    uint64_t cached_extra;   ///< they may keep so many bytes beyond the reserve
    uint32_t emptied_count;  ///< magazines that limit_cached emptied
    Pool* pending;           ///< own pools that were full until others gave chunks back; atomic
    PoolThread* next_table;  ///< of all tables
    PoolThread* next_idle;   ///< of those that no thread has

    /// Of the client's magazine. A closed one where there is none.
    [[gnu::always_inline]] uint64_t& top(uint32_t client) {
        return reinterpret_cast<uint64_t*>(this + 1)[client];
    }
    /// Whether it is one of these.
    bool has_top(const uint64_t* top) const {
        return reinterpret_cast<uintptr_t>(top) - reinterpret_cast<uintptr_t>(this + 1) <
               most_clients * sizeof(uint64_t);
    }
    LocalPools& local(uint32_t client) {
        return reinterpret_cast<LocalPools*>(spares() + most_size_classes)[client];
    }
    /// Mostly free pools of a size class, which may be lent.
    Pool*& spare(size_t size_class) { return spares()[size_class]; }

    static constexpr size_t most_size_classes = 2112;
    static constexpr size_t table_bytes() {
        return sizeof(PoolThread) + most_clients * (sizeof(uint64_t) + sizeof(LocalPools)) +
               most_size_classes * sizeof(Pool*);
    }

  private:
    Pool** spares() { return reinterpret_cast<Pool**>(reinterpret_cast<uint64_t*>(this + 1) + most_clients); }
};

/// Stands for the table of threads that have none: always busy, its magazines are closed, and it has no
/// pools. All zero until close_all, which comes before any thread uses it.
struct AbsentPoolThread {
    PoolThread thread;
    uint64_t tops[most_clients];

    void close_all(uint32_t clients) {
        thread.is_busy = true;
        thread.own = ChunkState::nobodys;
        for (uint32_t client = 0; client < clients; ++client) {
            tops[client] = closed_top();
        }
    }
};

/// The thread goes into the pool heap, and leaves it. Plain stores: only its own signal handlers look.
class BusyScope {
  public:
    explicit BusyScope(PoolThread& self) : self_(self) {
        self_.is_busy = true;
        __atomic_signal_fence(__ATOMIC_SEQ_CST);
    }
    ~BusyScope() {
        __atomic_signal_fence(__ATOMIC_SEQ_CST);
        self_.is_busy = false;
    }
    BusyScope(const BusyScope&) = delete;
    BusyScope& operator=(const BusyScope&) = delete;

  private:
    PoolThread& self_;
};

}  // namespace malloom::heaps
