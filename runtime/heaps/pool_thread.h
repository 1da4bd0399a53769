// What a thread has of each family: a magazine of free chunks, the pools that fill it, all it owns.
// Only the thread itself touches it, but for the stack of noted pools; so it needs no locks and no locked
// instructions.
#pragma once

#include "runtime/heaps/pool.h"
#include "runtime/heaps/pool_magazine.h"

namespace malloom::heaps {

constexpr uint32_t most_families = 8192;

/// A thread's share of a family.
struct PoolShare {
    Pool* owned;          ///< all its pools
    Pool* available;      ///< those that serve
    MagazineSlot* slots;  ///< of its magazine; null before it has one
    uint64_t living;      ///< of its pools, together; of families for runs as it was counted last
    uint32_t limit;       ///< slots that may be filled
    uint16_t asked;       ///< requests before it got its first pool
    uint8_t order;        ///< of the next pool
    uint8_t magazine_order;
    bool is_kept;  ///< it has a few pools at most, which stay although nothing of them lives
};

/// The table of a thread. It lies in memory of its own and outlives the thread: the next one that begins
/// takes it over, with what others may still note in it.
struct alignas(64) PoolThread {
    bool is_busy;     ///< within the pool heap: a signal handler that comes then must not touch the table
    unsigned rounds;  ///< of destructors that the ending thread has gone through
    unsigned kept_count;
    size_t kept_bytes;
    Pool* noted;             ///< own pools that were aside until others freed chunks of theirs; atomic
    PoolThread* next_table;  ///< of all tables
    PoolThread* next_idle;   ///< of those that no thread has
    struct Kept {
        uint32_t family;
        uint32_t bytes;  ///< of its pools
    };
    static constexpr unsigned most_kept = 8;
    Kept
        kept[most_kept];  ///< families without objects that have not given their pools back, the oldest first
    /// Of families that a thread keeps; the latest one keeps a pool however large it is.
    static constexpr size_t most_kept_bytes = size_t{256} << 10;

    /// Of the family's magazine. A closed one where there is none.
    [[gnu::always_inline]] uint64_t& top(uint32_t family) {
        return reinterpret_cast<uint64_t*>(this + 1)[family];
    }
    /// Whether it is one of this thread's magazines; any pointer.
    [[gnu::always_inline]] bool has(const uint64_t* top) const {
        return reinterpret_cast<uintptr_t>(top) - reinterpret_cast<uintptr_t>(this + 1) <
               most_families * sizeof *top;
    }
    PoolShare& share(uint32_t family) {
        return reinterpret_cast<PoolShare*>(reinterpret_cast<uint64_t*>(this + 1) + most_families)[family];
    }

    void own(Pool& pool);     ///< makes it this thread's, serving; under the arena's lock
    void disown(Pool& pool);  ///< takes it out of all lists
    void list(Pool& pool);    ///< among those that serve, as the first
    void unlist(Pool& pool);

    /// Takes the chunks in that others have freed in a used up pool.
    static bool take_foreign(Pool& pool);
    /// Leaves a chunk of another thread's pool to that.
    static void release_foreign(Pool& pool, void* chunk);
    /// Of a pool that is used up.
    void set_aside(Pool& pool);
    /// The pool is aside and a chunk comes back to it; false where it stays aside.
    bool bring_back(Pool& pool);
    /// Looks after the pools that others have noted.
    void take_noted();
    /// Notes a pool of this thread's; any thread may.
    void note(Pool& pool);

    // The following under the arena's lock.
    /// Nothing of the family lives, and its pools have so many bytes. They stay, until others are kept
    /// instead.
    void keep(uint32_t family, size_t bytes);
    void unkeep(uint32_t family);
    /// Nothing of the pools lives, and no magazine has their chunks.
    void give_back(Pool& pool);
    void give_back_all(uint32_t family);
    /// The same, but for one, which is as new. Gives its bytes.
    size_t give_back_all_but_one(uint32_t family);

    static constexpr size_t table_bytes() {
        return sizeof(PoolThread) + most_families * (sizeof(uint64_t) + sizeof(PoolShare));
    }
};

/// This thread's table, or a stand-in that is always busy: of a thread that has none yet, of one that is
/// getting its table or forks, of one that has ended.
extern constinit thread_local PoolThread* pool_thread
    [[gnu::tls_model("initial-exec"), gnu::visibility("hidden")]];
extern constinit PoolThread no_thread [[gnu::visibility("hidden")]];
extern constinit PoolThread busy_thread [[gnu::visibility("hidden")]];
extern constinit PoolThread ended_thread [[gnu::visibility("hidden")]];

/// The thread goes into the pool heap, and leaves it. Plain stores: only its own signal handlers look.
[[gnu::always_inline]] inline void enter_pools(PoolThread* self) {
    self->is_busy = true;
    __asm__ volatile("" ::: "memory");
}
[[gnu::always_inline]] inline void leave_pools(PoolThread* self) {
    __asm__ volatile("" ::: "memory");
    self->is_busy = false;
}

/// The same for a scope.
class BusyScope {
  public:
    explicit BusyScope(PoolThread* self) : self_(self) { enter_pools(self); }
    ~BusyScope() { leave_pools(self_); }
    BusyScope(const BusyScope&) = delete;
    BusyScope& operator=(const BusyScope&) = delete;

  private:
    PoolThread* self_;
};

/// Every table gets room for the family, and every later one. Under the arena's lock.
void add_to_tables(uint32_t family);

/// The table of this thread, made where it has none; null where there is no memory for it, within the pool
/// heap, and after the thread's end.
PoolThread* own_thread();

/// No thread has chunks of the family in a magazine any more. Under the arena's lock; none may be using it.
void forget_magazines(uint32_t family);

/// Once, before the first thread: what happens when threads end and processes fork.
void watch_threads_end();

}  // namespace malloom::heaps
