// Chunks on their way between pools and their owner's magazine.
#pragma once

#include "runtime/heaps/pools/pool_heap.h"

namespace malloom::heaps {

/// A magazine in the hands of its thread, which is within the pool heap (BusyScope): until this ends, a
/// signal handler finds it closed.
class OpenMagazine {
  public:
    OpenMagazine(PoolHeap& heap, PoolThread& self, uint32_t client);
    ~OpenMagazine();
    OpenMagazine(const OpenMagazine&) = delete;
    OpenMagazine& operator=(const OpenMagazine&) = delete;

    /// False where this is a signal handler's, which came while its thread was taking or putting a chunk.
    /// Nothing else may be asked then.
    bool is_whole() const { return is_whole_; }

    /// A chunk, from the pools if the magazine has none; null without memory.
    void* take();
    /// The object becomes free. False where there is no memory for a magazine.
    bool put(void* object);

    /// Whether sentinels stand where the slots end, and each chunk is one of the thread's pools of the
    /// client. Goes through all chunks.
    bool is_valid() const noexcept;

    /// All chunks go to their pools, and the magazine's memory goes back. False, and nothing changes, where
    /// somebody whom this handler interrupted is in the magazine.
    bool flush();
    /// The pools go elsewhere with what is here. Under the arena's lock.
    void forget();

  private:
    // Whether the slots are as they should be, and no claim of the thread's is among them.
    bool is_clear(uint32_t first, uint32_t end) const;
    bool is_own(uintptr_t chunk) const noexcept;
    bool is_full(uint32_t end) const;
    void move_sentinel(uint32_t limit);
    void limit_to_living();
    bool grow();
    void* refill(Pool& pool);
    bool return_half();
    void return_chunks(uint32_t count);
    bool keeps_all();
    void empty();
    void* pop() {
        void* chunk = reinterpret_cast<void*>(local_.slots[--count_]);
        local_.slots[count_] = 0;
        return chunk;
    }

    PoolHeap& heap_;
    PoolThread& self_;
    const uint32_t client_;
    LocalPools& local_;
    const uint64_t found_;  // the top
    uint32_t count_ = 0;
    bool is_whole_ = false;
};

}  // namespace malloom::heaps
