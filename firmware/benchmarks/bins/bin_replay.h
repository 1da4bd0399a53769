// A bin heap as a replay's settings ask for it: its bins, the function to them, and what a rehash does.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "firmware/benchmarks/bins/memory.h"
#include "firmware/benchmarks/bins/replay_file.h"
#include "include/malloom/bins.h"
#include "runtime/codegen/bins/table_functions.h"

namespace malloom::bench::bins {

/// What bin functions get besides a size. The instance comes first, so that a function finds the table.
struct Instance {
    malloom_bins heap;
    const codegen::bins::ByteTable* table;
    malloom_bins_quick quick;  ///< of Allocator::quick
};

class BinReplay {
  public:
    /// `begins` are of the bins, where the header says that they are given.
    explicit BinReplay(const ReplayHeader& header, const uint32_t* begins = nullptr);

    /// Opens the heap in memory of the board, with its first function.
    malloom_bins_result open(BoardMemory& memory);

    /// Lays out the bins by what was counted; the cycles that it took are in rehash_cycles.
    malloom_bins_result rehash(malloom_bins_ranges ranges, Function function);
    uint32_t rehash_cycles() const { return rehash_cycles_; }

    /// From now on calls of the heap lay out its bins, if the settings ask for it.
    malloom_bins_result rehash_automatically();
    /// Quick lists in front of the heap, with storage in memory of the board.
    malloom_bins_result open_quick_lists(BoardMemory& memory);
    bool is_automatic() const { return header_.automatic != 0; }

    /// A byte table of the ranges as they are, which has to live until the next one comes. The function that
    /// looks into it takes the place of the search, where it was asked for.
    void use(const codegen::bins::ByteTable& table);

    malloom_bins& heap() { return instance_->heap; }
    /// One range for all sizes where the heap has no table.
    codegen::bins::BinRanges ranges() const {
        static constexpr uint32_t first_begin = 0;
        const malloom_bins& heap = instance_->heap;
        return heap.begins != nullptr ? codegen::bins::BinRanges{heap.begins, nullptr, nullptr, heap.bins}
                                      : codegen::bins::BinRanges{&first_begin, nullptr, nullptr, 1};
    }
    const uint8_t* region() const { return region_; }
    /// Of the instance, its storage, and the generated code.
    size_t table_bytes() const { return sizeof(malloom_bins) + storage_bytes_ + quick_bytes_ + code_bytes_; }

  private:
    malloom_bin_function function_of(Function function) const;
    malloom_bins_result lay_out(malloom_bins_ranges ranges, const malloom_bins_code* code);
    size_t generated_bytes() const;  ///< of the function in use

    const ReplayHeader& header_;
    const uint32_t* given_begins_;
    Instance* instance_ = nullptr;
    malloom_bins_code code_ = {};
    uint8_t* region_ = nullptr;
    void* automatic_storage_ = nullptr;
    size_t storage_bytes_ = 0;
    size_t quick_bytes_ = 0;  ///< of quick lists, and what they belong to
    size_t code_bytes_ = 0;   ///< of generated code: the function in use, and as much for the next one
    uint32_t rehash_cycles_ = 0;
    bool uses_table_;
};

}  // namespace malloom::bench::bins
