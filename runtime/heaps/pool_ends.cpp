// Ends of threads, and forks: what becomes of pools whose owner is gone.
#include <limits.h>
#include <pthread.h>

#include "runtime/heaps/pool_chunks.h"
#include "runtime/heaps/pool_family.h"
#include "runtime/platform/memory.h"

namespace malloom::heaps {

using structures::Locked;

namespace {

pthread_key_t end_key;
bool is_watching = false;
PoolThread* all_threads = nullptr;   // under the arena's lock
PoolThread* idle_threads = nullptr;  // the same
uint32_t families_count = 1;         // the same; in all tables

// What a thread has put off while it forks.
struct Fork {
    PoolThread* table;
    bool has_locked;
};
thread_local Fork fork_of_thread [[gnu::tls_model("initial-exec")]] = {};

// Pools that others have noted, or are about to note, stay with the table.
void leave(PoolThread& self, Pool& pool) {
    if (pool.state == PoolState::aside && !pool.foreign.bring_back()) {
        return;
    }
    if (pool.foreign.is_emptying()) {
        self.set_aside(pool);
        return;
    }
    const Locked locked(pool_arena.lock);
    self.disown(pool);
    if (is_empty(pool)) {
        return_pool(pool);
    } else {
        orphan(pool);
    }
}

void unkeep(PoolThread& self, uint32_t family) {
    if (self.share(family).is_kept) {
        self.unkeep(family);
    }
}

void close_magazine(PoolThread& self, uint32_t family) {
    {
        const Locked locked(pool_arena.lock);
        unkeep(self, family);
    }
    OpenMagazine(self, family).close_for_good();
}

void end_thread(PoolThread& self) {
    self.take_noted();
    for (uint32_t family = 0; family < __atomic_load_n(&families_count, __ATOMIC_RELAXED); ++family) {
        if (self.share(family).slots != nullptr) {
            close_magazine(self, family);
        }
        for (Pool* pool = self.share(family).owned; pool != nullptr;) {
            Pool* next = pool->owned_next;
            leave(self, *pool);
            pool = next;
        }
        self.share(family).asked = 0;
        self.share(family).order = 0;
    }
    const Locked locked(pool_arena.lock);
    self.next_idle = idle_threads;
    idle_threads = &self;
}

// Destructors of other keys may still use the heap: the key is set again until the last round but one. In the
// last one ThreadSanitizer takes its leave of the thread.
void on_thread_end(void* table) {
    auto* self = static_cast<PoolThread*>(table);
    if (++self->rounds < PTHREAD_DESTRUCTOR_ITERATIONS - 1) {
        pthread_setspecific(end_key, self);
        return;
    }
    pool_thread = &ended_thread;
    end_thread(*self);
}

PoolThread* take_table() {
    const Locked locked(pool_arena.lock);
    PoolThread* table = idle_threads;
    if (table != nullptr) {
        idle_threads = table->next_idle;
        return table;
    }
    table = static_cast<PoolThread*>(platform::map_pages(PoolThread::table_bytes()));
    if (table != nullptr) {
        for (uint32_t family = 0; family < families_count; ++family) {
            table->top(family) = closed_top();
        }
        table->next_table = all_threads;
        all_threads = table;
    }
    return table;
}

// Whoever forks holds the lock, so that the child finds what it guards whole; and is within the heap, since
// other handlers of a fork may allocate. It may be a signal handler that interrupted the holder.
void before_fork() {
    fork_of_thread = {pool_thread, !pool_arena.lock.is_mine()};
    pool_thread = &busy_thread;
    if (fork_of_thread.has_locked) {
        pool_arena.lock.lock();
    }
}

void after_fork() {
    if (fork_of_thread.has_locked) {
        pool_arena.lock.unlock();
    }
    pool_thread = fork_of_thread.table;
}

// The owner was somewhere within it, and is not there any more. Its free chunks are given up: the memory of a
// chunk that was just handed out may be newer than the stack that it was taken from. What the child frees is
// used again.
void freeze(Pool& pool) {
    pool.free = nullptr;
    pool.carved = pool.capacity();
    pool.living = pool.carved;
    pool.foreign.clear();
    pool.is_listed = false;
    orphan(pool);
}

void after_fork_in_child() {
    auto* mine = static_cast<PoolThread*>(pthread_getspecific(end_key));
    for (size_t i = 0; i < pool_arena.pools_count(); ++i) {
        Pool& pool = pool_arena.pools()[i];
        if (pool.state != PoolState::unused && pool.owner != nullptr && pool.owner != mine) {
            freeze(pool);
        }
    }
    while (all_threads != nullptr) {
        PoolThread* table = all_threads;
        all_threads = table->next_table;
        if (table != mine) {
            platform::unmap_pages(table, PoolThread::table_bytes());
        }
    }
    idle_threads = nullptr;
    if (mine != nullptr) {
        mine->next_table = nullptr;
        all_threads = mine;
    }
    after_fork();
}

}  // namespace

void add_to_tables(uint32_t family) {
    for (PoolThread* table = all_threads; table != nullptr; table = table->next_table) {
        table->top(family) = closed_top();
    }
    __atomic_store_n(&families_count, family + 1, __ATOMIC_RELAXED);
}

void forget_magazines(uint32_t family) {
    for (PoolThread* table = all_threads; table != nullptr; table = table->next_table) {
        unkeep(*table, family);
        OpenMagazine(*table, family).forget();
    }
}

PoolThread* own_thread() {
    PoolThread* self = pool_thread;
    if (self != &no_thread) [[likely]] {
        return self->is_busy ? nullptr : self;
    }
    if (!__atomic_load_n(&is_watching, __ATOMIC_ACQUIRE)) {
        return nullptr;
    }
    pool_thread = &busy_thread;  // what follows may allocate
    PoolThread* table = take_table();
    if (table != nullptr) {
        table->rounds = 0;
        table->is_busy = false;
        pthread_setspecific(end_key, table);
    }
    pool_thread = table != nullptr ? table : &no_thread;
    return table;
}

void watch_threads_end() {
    if (!is_watching && pthread_key_create(&end_key, on_thread_end) == 0) {
        pthread_atfork(before_fork, after_fork, after_fork_in_child);
        __atomic_store_n(&is_watching, true, __ATOMIC_RELEASE);
    }
}

}  // namespace malloom::heaps
