// What a rehash is made of, whether it is called or automatic.
#pragma once

#include <stdint.h>

#include "include/malloom/bins.h"
#include "runtime/codegen/bins/bin_ranges.h"
#include "runtime/heaps/bins/prices.h"

namespace malloom::heaps::bins {

/// Of a heap with counts, whose table is its own.
uint32_t* own_begins(const malloom_bins& heap);

/// Whether the ranges of the bins increase, each bin has its place in the tables, and all that
/// malloom_bins_check looks at is whole. Goes through all chunks of the heap.
bool is_valid(const malloom_bins& heap) noexcept;

/// Adds the free chunks to `use`; false where links are checked and one of them is wrong.
bool look_at_lists(malloom_bins& heap, ListUse& use);

/// Writes at most `wanted` begins to `result` by what was counted in the heap's bins, which begin at
/// `begins`: their number, 0 where nothing was counted. The counts are lost.
unsigned new_begins(const malloom_bins& heap, const uint32_t* begins, malloom_bins_ranges ranges,
                    unsigned wanted, uint32_t* result);

/// Writes the function of the ranges into the half of the code that is not in use, and calls it for every
/// begin. What was counted is lost. Where no code can be generated, `function` is left as it is.
malloom_bins_result generate(const malloom_bins& heap, const codegen::bins::BinRanges& ranges,
                             const malloom_bins_code* code, malloom_bin_function& function);

/// Goes on with a function and its bins, whose begins are in the table: all free chunks come into their
/// lists.
void adopt(malloom_bins& heap, malloom_bin_function function, unsigned bins, const malloom_bins_code* code);

void forget_counts(malloom_bins& heap);

}  // namespace malloom::heaps::bins
