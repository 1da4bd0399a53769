// Pools of requests of one size (Zhao, Rabbah, Wong: pool allocation): chunks without headers, one after the
// other in the order of requests.
//
// Who borrows pools is a client: a call site, a context, a pool of a compiler's, all that is left of a size
// class. Each thread has pools of its own for each client that it asks for, each twice as large as the one
// before, to a bound. Pages without an object go back while their pool lives, and a pool that is mostly free
// serves another client of its size class. So what is resident is at most the pages that hold an object, an
// open pool for each thread and size class, the magazines, and most_idle; however many clients there are.
//
// Misuse is noticed by a byte beside each chunk (ChunkState): what is freed must be an object.
//
// An instance has no state outside itself but the tables of its threads, which whoever composes it keeps, one
// word a thread, and gives it with each call.
#pragma once

#include "checks/check.h"
#include "runtime/heaps/pools/arena.h"
#include "runtime/heaps/pools/thread.h"

namespace malloom::heaps {

class PoolHeap {
  public:
    /// Where there is no client. Asking for it gets nothing.
    static constexpr uint32_t none = 0;
    static constexpr size_t chunk_alignment = granule_bytes;

    /// Finds address space, at most so much; before all else, more than once is no harm. False where it is
    /// short; the heap then claims nothing.
    bool open(size_t most_bytes = SIZE_MAX);
    /// Gives all back, for heaps that do not live as long as the process. No thread may be using it.
    void close();
    /// The same, but pools with objects stay as they are, for good: those may be used, and not be freed.
    void close_but_objects();
    void on_misuse(OnMisuse ends_program) { arena_.on_misuse(ends_program); }

    /// A new client of chunks of up to `bytes`, rounded up as chunk_for says; none where they are larger
    /// than largest_chunk, there are too many clients, or the thread holds the arena (its signal handler
    /// asks). Thread-safe.
    uint32_t add(size_t bytes);
    /// The same, whose pools have `pool_bytes`, a power of two from smallest_range to largest_range, and
    /// begin at a multiple of it, with a chunk at the first byte: so an address modulo pool_bytes is its
    /// place in its pool.
    uint32_t add_aligned(size_t bytes, size_t pool_bytes);
    /// The same, of so many objects a pool, which lie anywhere in it: the client knows where. It gets
    /// chunks of granule_bytes from the pool's first byte on, and the n-th stands for the n-th object. The
    /// pages of a pool go back together.
    uint32_t add_spread(uint32_t objects, size_t pool_bytes);
    /// The one client of all those that have no pools of their own, for requests of so many bytes.
    /// Thread-safe.
    uint32_t common(size_t bytes);
    /// The same of up to most_small bytes, at once; none of 0 bytes. After open.
    [[gnu::always_inline]] static constexpr uint32_t small_common(size_t bytes) {
        if (bytes > most_small) {
            __builtin_unreachable();
        }
        return static_cast<uint32_t>(common_index(bytes));
    }
    static constexpr size_t most_small = 1024;
    /// Ends the client and all objects in its pools; its number may come again. No thread may ask for it
    /// later. Threads that have used it keep out of the heap until this returns: their magazines of it go
    /// too.
    void destroy(uint32_t client);
    /// Of the client's chunks; 0 for a number that is none's.
    size_t chunk_bytes(uint32_t client) const {
        return client < most_clients && tables_ != nullptr
                   ? __atomic_load_n(&tables_->clients[client].chunk_bytes, __ATOMIC_ACQUIRE)
                   : 0;
    }

    /// Whether chunks lie as tightly as they can. Where not, those of 64 bytes lie across two lines: whoever
    /// follows links in the one half finds the other half of the neighbour fetched already. And those from
    /// least_paired on are whole pairs of lines, which many processors fetch together. Before the first
    /// client.
    void pack(bool wanted) { is_packed_ = wanted; }
    /// Bytes that a request gets.
    size_t chunk_for(size_t bytes) const {
        const size_t step = bytes < least_paired || is_packed_ ? granule_bytes : line_pair;
        return (bytes + (bytes == 0) + step - 1) & ~(step - 1);
    }

    /// The stand-in is given with the calls of threads that have no table. Once each, two at most.
    void add_stand_in(AbsentPoolThread& stand_in);
    /// A table for the calling thread, that the others' calls take from now on; null without memory.
    PoolThread* join();
    /// Whether it is the first table that was made: the process's first thread's, mostly.
    static bool is_first(const PoolThread& self) { return self.mark == 1; }
    /// The thread ends, and makes no more calls with the table.
    void leave(PoolThread& self);
    /// The arena's. Whoever forks holds it, so that the child finds what it guards whole.
    structures::ForkLock& lock() { return arena_.lock; }
    /// In the child all other threads are gone; `self` is the forking thread's, or null. It has the lock.
    void after_fork_in_child(PoolThread* self);

    /// The fast path of allocate: the thread's magazine has a chunk. Null, and nothing has changed, where it
    /// has none. Any table, a stand-in too. The number is a client's, or none.
    [[gnu::always_inline]] void* allocate_fast(PoolThread& self, uint32_t client) {
        void* chunk = take_from_magazine(self.top(client), self.taking);
        if (chunk != nullptr) [[likely]] {
            mark_object(self, chunk);
        }
        return chunk;
    }
    /// A chunk. Null where memory is short, for none and clients destroyed, and for a signal handler that
    /// came within the pool heap.
    [[gnu::noinline]] void* allocate(PoolThread& self, uint32_t client);

    /// The fast path of release: an object of this thread's pools. False, and nothing has changed, for any
    /// other pointer.
    [[gnu::always_inline]] bool release_fast(PoolThread& self, void* object) {
        const uint64_t granule = arena_.granule_of(object);
        if (granule >= arena_.granules()) [[unlikely]] {
            return false;
        }
        if constexpr (!is_checked) {
            uint64_t* top = arena_.top_of_granule(granule);
            return self.has_top(top) && put_into_magazine(*top, object, self.putting);
        }
        uint8_t* state = arena_.state_of_granule(granule);
        if (__atomic_load_n(state, __ATOMIC_RELAXED) != self.own) [[unlikely]] {
            return false;
        }
        __atomic_store_n(state, ChunkState::none, __ATOMIC_RELAXED);
        // A handler gives no pool away that has such a chunk; and one that did before has changed the top.
        __atomic_signal_fence(__ATOMIC_SEQ_CST);
        uint64_t* top = arena_.top_of_granule(granule);
        if (put_into_magazine(*top, object, self.putting)) [[likely]] {
            return true;
        }
        __atomic_store_n(state, self.mark, __ATOMIC_RELAXED);
        return false;
    }
    /// Of any address in a pool, by any thread; a misuse ends the program.
    [[gnu::noinline]] void release(PoolThread& self, void* object);

    /// The pool of an object; of any other address in the arena a misuse, which ends the program.
    /// Thread-safe.
    Pool& pool_of_object(const void* object) const;
    /// Whether a pool lies there. Thread-safe.
    bool owns(const void* object) const { return arena_.find(object) != nullptr; }
    /// Bytes of the chunk that an address in a pool lies in.
    size_t usable_size(const void* object) const { return arena_.find(object)->chunk_bytes; }
    /// Bytes of the chunk that begins there; 0 of any other address. Thread-safe: the pool may be going back.
    size_t bytes_of_chunk(const void* chunk) const {
        const Pool* pool = arena_.find(chunk);
        const bool is_chunk = pool != nullptr && index_of(*pool, reinterpret_cast<uintptr_t>(chunk)).is_exact;
        return is_chunk ? pool->chunk_bytes : 0;
    }

    /// Whether it is an object of a pool's, as far as states say: only where misuse is noticed. Thread-safe.
    bool is_object(const void* chunk) const {
        return is_checked && bytes_of_chunk(chunk) != 0 &&
               ChunkState::is_object(__atomic_load_n(arena_.state_of(chunk), __ATOMIC_RELAXED));
    }

    /// An object, and up to `count` - 1 untouched chunks behind it, in the same pool, that are the caller's
    /// to give out later, each by make_object; `count` says how many chunks there are, of one that was freed
    /// there is 1. A pool in which nothing else is left goes back with the chunks that wait in it. Null
    /// without memory. Only by a thread that is within the pool heap (BusyScope).
    [[gnu::noinline]] void* take_run(PoolThread& self, uint32_t client, uint32_t& count);
    /// A chunk that was reserved becomes an object. Within the pool heap.
    [[gnu::always_inline]] void make_object(PoolThread& self, Pool& pool, void* chunk) {
        MALLOOM_CHECK_FULL(pool.reserved != 0);
        --pool.reserved;
        ++self.local(pool.client).living;
        mark_object(self, chunk);
    }

    /// Whether the thread's lists of the client's pools lead both ways, hold its own pools alone, and the
    /// bytes of these are counted. Goes through all of these pools. By the thread itself.
    bool is_valid(PoolThread& self, uint32_t client) const noexcept;

    PoolArena& arena() { return arena_; }
    const PoolArena& arena() const { return arena_; }

  private:
    friend class OpenMagazine;

    // Under the arena's lock, but for chunk_bytes and pool_order, which stay.
    struct Client {
        uint32_t chunk_bytes;  ///< 0: not in use, as number 0 never is; atomic
        uint32_t next_unused;  ///< the next number that is free again
        uint32_t objects;      ///< of a pool whose chunks stand for objects; else 0
        uint8_t pool_order;    ///< of aligned pools, plus one; 0: they grow
    };
    struct Tables {
        Client clients[most_clients];
        uint32_t commons[size_classes];  ///< of more than most_small, by common_index; 0: none yet; atomic
        Pool* orphans[size_classes];     ///< with chunks to give
    };

    static constexpr size_t line_pair = 128;
    static constexpr size_t least_paired = 8 * line_pair;  // at most an eighth more

    [[gnu::always_inline]] void mark_object(const PoolThread& self, const void* chunk) {
        if constexpr (is_checked) {
            __atomic_store_n(arena_.state_of(chunk), self.mark, __ATOMIC_RELAXED);
        }
    }
    size_t class_of_client(uint32_t client) const {
        return tables_->clients[client].objects != 0 ? 0 : class_of(chunk_bytes(client));
    }
    static constexpr size_t common_index(size_t bytes) { return (bytes + granule_bytes - 1) / granule_bytes; }

    void close_tables();

    // clients.cpp
    uint32_t add_client(size_t chunk_bytes, uint8_t pool_order, uint32_t objects = 0);
    uint32_t take_number();
    void add_small_commons();
    void return_all(uint32_t client);
    void forget_magazines(uint32_t client);

    // pool_heap.cpp: what the fast paths leave.
    void* ended_taking(PoolThread& self, uint32_t client);
    bool ended_putting(PoolThread& self, void* object);
    bool release_own(PoolThread& self, Pool& pool, void* object);
    bool put(PoolThread& self, uint32_t client, void* object);

    // foreign_release.cpp
    void release_foreign(PoolThread& self, Pool& pool, void* object);
    void give_to_pool(Pool& pool, void* object);
    void defer(const Pool& pool, void* object);
    void defer_spread(void* object);
    void forget_deferred_spread() {
        has_deferred_spread_ = false;
        for (void*& place : deferred_spread_) {
            place = nullptr;
        }
    }
    void take_deferred() {
        if (__atomic_load_n(&deferred_, __ATOMIC_RELAXED) != nullptr ||
            __atomic_load_n(&has_deferred_spread_, __ATOMIC_RELAXED)) {
            take_all_deferred();
        }
    }
    void take_all_deferred();
    void make_pending(Pool& pool);
    void take_pending(PoolThread& self);

    // owned_pools.cpp
    void own(PoolThread& self, Pool& pool, uint32_t client);
    void disown(PoolThread& self, Pool& pool);
    void list(PoolThread& self, Pool& pool);
    void unlist(PoolThread& self, Pool& pool);
    Pool* next_pool(PoolThread& self, uint32_t client);
    bool unlist_if_full(PoolThread& self, Pool& pool);
    Pool* make_pool(PoolThread& self, uint32_t client);
    Pool* lend(PoolThread& self, uint32_t client);
    void look_after(PoolThread& self, Pool& pool);
    void look_at_given(PoolThread& self, uint32_t client);
    bool give_back(PoolThread& self, Pool& pool);
    void give_back_or_reset(PoolThread& self, Pool& pool);
    void give_back_all(PoolThread& self, uint32_t client);

    // cached_magazines.cpp
    void cache(PoolThread& self, uint32_t client);
    size_t bytes_kept_by(PoolThread& self, uint32_t client) const;
    void uncache(PoolThread& self, uint32_t client);
    void extend_cache(PoolThread& self, LocalPools& local);
    void limit_cached(PoolThread& self, uint32_t but);

    // threads.cpp: pools without an owner, tables without a thread.
    void orphan(PoolThread& self, Pool& pool);
    void leave_magazine(PoolThread& self, uint32_t client);
    void share_spares(PoolThread& self, size_t size_class);
    bool is_at_rest(Pool& pool) const;
    void mark_all(const Pool& pool, uint8_t from, uint8_t to);
    void look_after_orphan(Pool& pool);
    Pool* adopt_any(PoolThread& self, uint32_t client);
    bool adopt(PoolThread& self, Pool& pool);
    PoolThread* take_table();
    void inherit(PoolThread* self, Pool& pool);
    void drop_tables_but(PoolThread* self);

    PoolArena arena_;
    MagazineMemory magazines_;  ///< under the arena's lock
    Tables* tables_ = nullptr;
    uint32_t clients_count_ = 1;  ///< after `none` those of small_common
    uint32_t unused_client_ = 0;
    PoolThread* all_threads_ = nullptr;   ///< under the arena's lock
    PoolThread* idle_threads_ = nullptr;  ///< the same
    AbsentPoolThread* stand_ins_[2] = {};
    uint32_t threads_count_ = 0;  ///< tables that were ever made; atomic
    /// Freed where no lock could be taken; linked through their first words; atomic.
    void* deferred_ = nullptr;
    void* deferred_spread_[64] = {};  ///< the same, of pools whose chunks stand for objects elsewhere
    bool has_deferred_spread_ = false;
    bool is_packed_ = false;
    uint64_t no_top_ = 0;  ///< of pools without an owner: a closed one
};

}  // namespace malloom::heaps
