// Short runs that wait to be taken again, without a lock: an exchange of a word takes one, and another puts
// one back, so nobody waits for a thread that is held up in between.
#pragma once

#include <stddef.h>
#include <stdint.h>

namespace malloom::heaps {

/// By lengths. Links are numbers of units plus one; 0 is none. Thread-safe; signal handlers may come.
class RunCache {
  public:
    /// In units.
    static constexpr uint32_t longest = 32;
    /// Runs of one length: a cache line of links.
    static constexpr unsigned most = 16;

    uint32_t take(uint32_t units) {
        for (uint32_t& slot : slots_[units - 1]) {
            if (__atomic_load_n(&slot, __ATOMIC_RELAXED) != 0) {
                const uint32_t link = __atomic_exchange_n(&slot, 0, __ATOMIC_ACQUIRE);
                if (link != 0) {
                    return link;
                }
            }
        }
        return 0;
    }
    /// False where there are too many.
    bool put(uint32_t units, uint32_t link) {
        for (uint32_t& slot : slots_[units - 1]) {
            uint32_t empty = 0;
            if (__atomic_load_n(&slot, __ATOMIC_RELAXED) == 0 &&
                __atomic_compare_exchange_n(&slot, &empty, link, false, __ATOMIC_RELEASE, __ATOMIC_RELAXED)) {
                return true;
            }
        }
        return false;
    }
    /// How many should come at once when there are none: the more the oftener that was so. Under a lock.
    unsigned next_batch(uint32_t units) {
        uint8_t& batch = batches_[units - 1];
        if (batch < most) {
            ++batch;
        }
        return batch;
    }

  private:
    alignas(64) uint32_t slots_[longest][most] = {};
    uint8_t batches_[longest] = {};
};

}  // namespace malloom::heaps
