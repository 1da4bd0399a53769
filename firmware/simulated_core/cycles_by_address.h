// Which instructions the cycles went to: each cycle to the instruction that is done next, so that waiting for
// memory counts for the one that waits. So do the lines that the caches were filled with.
#pragma once

#include <stdint.h>
#include <stdio.h>

#include <array>
#include <memory>
#include <vector>

namespace malloom::simulated_core {

class CyclesByAddress {
  public:
    /// What has been until now.
    struct Sums {
        uint64_t cycles;
        uint64_t instruction_lines;
        uint64_t data_lines;
    };

    /// An instruction is done, at a multiple of 4.
    void retire(uint32_t address, const Sums& now) {
        Page& page = page_of(address);
        Entry& entry = page[address % page_bytes / sizeof(uint32_t)];
        ++entry.times;
        entry.sums.cycles += now.cycles - last_.cycles;
        entry.sums.instruction_lines += now.instruction_lines - last_.instruction_lines;
        entry.sums.data_lines += now.data_lines - last_.data_lines;
        last_ = now;
    }
    /// A line an instruction: its address, how often it was done, its cycles, lines of instructions and of
    /// data.
    void print(FILE* file) const;

  private:
    struct Entry {
        uint64_t times = 0;
        Sums sums = {};
    };
    static constexpr uint32_t page_bytes = 1 << 12;
    using Page = std::array<Entry, page_bytes / sizeof(uint32_t)>;

    Page& page_of(uint32_t address) {
        std::unique_ptr<Page>& page = pages_[address / page_bytes];
        if (page == nullptr) page = std::make_unique<Page>();
        return *page;
    }

    /// Of all addresses; null where no instruction was done yet.
    std::vector<std::unique_ptr<Page>> pages_{size_t{1} << 20};
    Sums last_ = {};
};

}  // namespace malloom::simulated_core
