// Which instructions the cycles went to: each cycle to the instruction that is done next, so that waiting for
// memory counts for the one that waits.
#pragma once

#include <stdint.h>
#include <stdio.h>

#include <unordered_map>

namespace malloom::simulated_core {

class CyclesByAddress {
  public:
    /// An instruction is done.
    void retire(uint32_t address, uint64_t now) {
        Entry& entry = entries_[address];
        ++entry.times;
        entry.cycles += now - last_;
        last_ = now;
    }
    /// A line an instruction, in no order: its address, how often it was done, its cycles.
    void print(FILE* file) const;

  private:
    struct Entry {
        uint64_t times = 0;
        uint64_t cycles = 0;
    };

    std::unordered_map<uint32_t, Entry> entries_;
    uint64_t last_ = 0;
};

}  // namespace malloom::simulated_core
