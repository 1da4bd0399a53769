// What a thread has of each family: the pool that it allocates from, those with free chunks, all it owns.
// Only the thread itself touches it, but for the stack of noted pools; so it needs no locks and no locked
// instructions.
#pragma once

#include "runtime/heaps/pool.h"

namespace malloom::heaps {

constexpr uint32_t most_families = 8192;

/// A thread's share of a family.
struct PoolShare {
    Pool* owned;      ///< all its pools
    Pool* available;  ///< those that serve
    uint16_t asked;   ///< requests before it got its first pool
    uint8_t order;    ///< of the next pool
};

/// The table of a thread. It lies in memory of its own and outlives the thread: the next one that begins
/// takes it over, with what others may still note in it.
struct alignas(64) PoolThread {
    bool is_busy;     ///< within the pool heap: a signal handler that comes then must not touch the table
    unsigned rounds;  ///< of destructors that the ending thread has gone through
    uint32_t kept_count;
    size_t kept_bytes;
    Pool* noted;             ///< own pools that were aside until others freed chunks of theirs; atomic
    PoolThread* next_table;  ///< of all tables
    PoolThread* next_idle;   ///< of those that no thread has
    static constexpr unsigned most_kept = 8;
    Pool* kept[most_kept];  ///< empty pools that are not given back yet, the oldest first

    /// The pool that chunks of the family come from, or no_pool.
    [[gnu::always_inline]] Pool*& current(uint32_t family) {
        return reinterpret_cast<Pool**>(this + 1)[family];
    }
    PoolShare& share(uint32_t family) {
        return reinterpret_cast<PoolShare*>(reinterpret_cast<Pool**>(this + 1) + most_families)[family];
    }

    void own(Pool& pool);     ///< makes it this thread's, serving
    void disown(Pool& pool);  ///< takes it out of all lists
    void list(Pool& pool);    ///< among those that serve, as the current one
    void unlist(Pool& pool);

    /// Takes the chunks in that others have freed in a used up pool.
    static bool take_foreign(Pool& pool);
    /// Of a pool that is used up.
    void set_aside(Pool& pool);
    /// The pool is aside and a chunk of its comes back; false where it stays aside.
    bool bring_back(Pool& pool);
    /// Looks after the pools that others have noted.
    void take_noted();
    /// Notes a pool of this thread's; any thread may.
    void note(Pool& pool);

    /// Nothing of the pool lives. Keeps it, until others are kept instead.
    void keep(Pool& pool);
    // The following under the arena's lock.
    /// Lets the oldest kept pool go.
    void let_go();
    void unkeep(Pool& pool);
    void give_back(Pool& pool);

    static constexpr size_t table_bytes() {
        return sizeof(PoolThread) + most_families * (sizeof(Pool*) + sizeof(PoolShare));
    }
};

/// This thread's table, or a stand-in that is always busy: of a thread that has none yet, of one that is
/// getting its table or forks, of one that has ended.
extern constinit thread_local PoolThread* pool_thread
    [[gnu::tls_model("initial-exec"), gnu::visibility("hidden")]];
extern constinit PoolThread no_thread [[gnu::visibility("hidden")]];
extern constinit PoolThread busy_thread [[gnu::visibility("hidden")]];
extern constinit PoolThread ended_thread [[gnu::visibility("hidden")]];

/// Stands where a thread has no pool of a family; it has no chunks.
extern constinit Pool no_pool [[gnu::visibility("hidden")]];

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

/// Once, before the first thread: what happens when threads end and processes fork.
void watch_threads_end();

}  // namespace malloom::heaps
