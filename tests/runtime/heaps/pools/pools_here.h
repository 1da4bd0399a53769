// A pool heap with a table for each thread that comes, as a front keeps them.
#pragma once

#include <gtest/gtest.h>

#include "runtime/heaps/pools/pool_heap.h"

namespace malloom::tests {

/// One at a time in the process. Threads but the first end before it does.
class PoolsHere {
  public:
    explicit PoolsHere(size_t most_bytes = SIZE_MAX) {
        EXPECT_EQ(here, nullptr);
        EXPECT_TRUE(heap.open(most_bytes));
        here = this;
    }
    ~PoolsHere() {
        end_thread();
        heap.close();
        here = nullptr;
    }
    PoolsHere(const PoolsHere&) = delete;
    PoolsHere& operator=(const PoolsHere&) = delete;

    /// The calling thread's table.
    heaps::PoolThread& self() {
        if (thread.table == nullptr) {
            thread.table = heap.join();
        }
        return *thread.table;
    }
    char* allocate(uint32_t client) {
        void* object = heap.allocate_fast(self(), client);
        return static_cast<char*>(object != nullptr ? object : heap.allocate(self(), client));
    }
    void deallocate(void* object) {
        if (!heap.release_fast(self(), object)) {
            heap.release(self(), object);
        }
    }
    void end_thread() {
        if (thread.table != nullptr) {
            heap.leave(*thread.table);
            thread.table = nullptr;
        }
    }

    /// Bytes of the ranges of pools that are in use.
    size_t held_bytes() const {
        size_t bytes = 0;
        for (size_t i = 0; i < heap.arena().pools_count(); ++i) {
            const heaps::Pool& pool = heap.arena().pools()[i];
            bytes += pool.state() != heaps::PoolState::unused ? heaps::range_bytes(pool.order) : 0;
        }
        return bytes;
    }

    heaps::PoolHeap heap;

  private:
    static inline PoolsHere* here = nullptr;
    static inline thread_local struct Thread {
        heaps::PoolThread* table;
        ~Thread() {
            if (here != nullptr) {
                here->end_thread();
            }
        }
    } thread = {nullptr};
};

}  // namespace malloom::tests
