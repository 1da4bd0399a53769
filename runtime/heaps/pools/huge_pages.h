// Blocks of an arena as huge pages: made before their first use, or gathered once all of a block is in use.
#pragma once

#include "runtime/heaps/pools/pace.h"
#include "runtime/structures/growing_range.h"

namespace malloom::heaps {

/// All zero has none. Thread-safe where nothing else is said.
class HugePages {
  public:
    /// For blocks of block_bytes from the base on. False where the span has no room.
    bool open(platform::AddressSpan& span, uintptr_t base, size_t bytes);
    void close();
    /// False without memory.
    bool reach(size_t usable);

    /// Asks the system whether it makes huge pages at request, by calls that a process may forbid itself.
    bool are_allowed() const;
    /// They are: from now on blocks are huge pages.
    void prefer();
    bool are_preferred() const { return are_preferred_; }
    /// Addresses of blocks become usable.
    void begin(uintptr_t start, size_t bytes) const;

    /// A block that nobody has touched. Says whether it is a huge page now. Under the arena's lock.
    bool make(uintptr_t block);
    /// A block whose pages are all resident.
    void gather(uintptr_t block);
    /// Whether the block is one huge page, of which nothing went back.
    bool is_huge(uintptr_t block) const { return __atomic_load_n(flag_of(block), __ATOMIC_RELAXED); }
    /// Pages of the block at the address went back.
    void forget(uintptr_t address) { __atomic_store_n(flag_of(address), false, __ATOMIC_RELAXED); }

  private:
    bool* flag_of(uintptr_t address) const;
    bool ask_for(uintptr_t block, bool (*system_call)(void* block));

    uintptr_t base_ = 0;
    size_t bytes_ = 0;
    structures::GrowingRange flags_;  ///< by blocks
    Pace pace_;
    bool are_preferred_ = false;
};

}  // namespace malloom::heaps
