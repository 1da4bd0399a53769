// The chunks' way between pools and their owner's magazine.
#pragma once

#include "runtime/heaps/pool_thread.h"

namespace malloom::heaps {

/// A magazine in the hands of its thread, which is within the pool heap (BusyScope): until this ends, a
/// signal handler finds it closed.
class OpenMagazine {
  public:
    OpenMagazine(PoolThread& self, uint32_t family);
    ~OpenMagazine();
    OpenMagazine(const OpenMagazine&) = delete;
    OpenMagazine& operator=(const OpenMagazine&) = delete;

    /// False where this is a signal handler's, which came while its thread was taking or putting a chunk.
    /// Nothing else may be asked then.
    bool is_whole() const { return is_whole_; }

    /// A chunk, from the pools if the magazine has none; null without memory, and where a pool is not worth
    /// it.
    void* take();
    /// The object becomes free; false where it cannot be taken in. Ends the program if it is on top already.
    bool put(void* object);

    /// All chunks go to their pools, and the magazine's memory goes back.
    void close_for_good();
    /// The family is no longer kept: its pools go back now if nothing of them lives. Under the arena's lock.
    void let_go();
    /// The pools go elsewhere with what is here. Under the arena's lock.
    void forget();

  private:
    // Whether the slots are as they should be, and no claim of the thread's is among them.
    bool is_clear(uint32_t first, uint32_t end) const;
    bool is_full(uint32_t end) const;
    void move_wall(uint32_t limit);
    void limit_to_living();
    void count_living();
    bool grow();
    void* refill(Pool& pool);
    void* take_freed(Pool& pool, uint32_t most);
    void* carve(Pool& pool, uint32_t most);
    bool return_half();
    void return_chunks(uint32_t count);
    void return_chunk(void* chunk);
    bool keeps_all();
    void empty();
    void push(void* chunk) { share_.slots[count_++] = reinterpret_cast<MagazineSlot>(chunk); }
    void* pop() {
        void* chunk = reinterpret_cast<void*>(share_.slots[--count_]);
        share_.slots[count_] = 0;
        return chunk;
    }

    PoolThread& self_;
    const uint32_t family_;
    PoolShare& share_;
    const uint64_t found_;  // the top
    uint32_t count_ = 0;
    bool is_whole_ = false;
};

/// Pages become resident an eighth of the pool at a time, where that is more than a page. To the end.
void populate(Pool& pool, uintptr_t end);

/// A pool of the thread's with chunks that nobody has, found or made; null where there is no memory, or a
/// pool is not worth it.
Pool* next_pool(PoolThread& self, uint32_t family);

}  // namespace malloom::heaps
