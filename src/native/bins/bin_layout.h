// Bins for a heap on any machine: laid out as the heap itself would, and their function as machine code.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace malloom::native {

/// What was counted in old bins: their begins in bytes, ascending from 0, and a count for each. Both are as
/// long. `end`: larger than all sizes. `granule`: sizes are multiples of it, a power of two.
struct CountedSizes {
    std::span<const uint32_t> begins;
    std::span<const uint32_t> counts;
    uint32_t end;
    uint32_t granule;
};

/// The begins of at most `wanted` new bins, as redistribute_smoothly gives them (runtime/heaps/bins). None
/// where nothing was counted.
std::vector<uint32_t> lay_out_bins(const CountedSizes& old, unsigned wanted);

/// The function from a size to its bin as machine code of that target: x86_64, aarch64, riscv32, riscv64 or
/// thumb2. It is to lie at a multiple of 4. `weights`: how often sizes of each bin are asked for. Nothing
/// where there is no such target, or where there can be no such bins.
std::vector<uint8_t> bin_code(std::span<const uint32_t> begins, std::span<const uint32_t> weights,
                              std::string_view target);

}  // namespace malloom::native
