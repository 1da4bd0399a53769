// New ranges for bins, by what was counted in the old ones.
#pragma once

#include <stdint.h>

namespace malloom::heaps::bins {

/// Bins as they are: where each begins, and what was counted in it. Sizes are bytes.
struct CountedBins {
    const uint32_t* begins;  ///< ascending from 0
    const uint32_t* counts;
    unsigned bins;
    uint32_t end;      ///< of the last one: larger than its begin, and than all sizes that matter
    uint32_t granule;  ///< sizes are multiples of it
};

/// Lays out at most `wanted` bins so that each has the same part of all counts, where these lie evenly in
/// the old bins (Lhuillier and Courousse, 4.3: "linear redistribution"). Fewer where one size has more than
/// a part. Writes their begins to `result`, which has room for `wanted`, and returns how many there are; 0
/// where nothing was counted.
unsigned redistribute_linearly(const CountedBins& old, unsigned wanted, uint32_t* result);

/// The same for three quarters of the bins. The others lie evenly by the logarithm of the size, so that sizes
/// which have not come yet find bins that are not too wide.
unsigned redistribute_smoothly(const CountedBins& old, unsigned wanted, uint32_t* result);

/// The same by what lists cost, where insertions and steps were counted together. A bin that is divided into
/// n has one n-th of its steps, so that all together have the fewest where n is as the square root of them.
/// Nor does a bin get more than there are sizes in it: these have lists without steps, which more bins would
/// not make shorter. `counts` are those of the old bins, and are lost.
unsigned redistribute_by_cost(const CountedBins& old, uint32_t* counts, unsigned wanted, uint32_t* result);

/// Each octave of sizes gets a power of two of bins, of one width each: more where more was counted, as the
/// root of it, and one at least. So the function is short: a few comparisons, a shift and an addition.
/// `counts` are those of the old bins; afterwards they are what the new ones may expect.
unsigned redistribute_by_octave(const CountedBins& old, uint32_t* counts, unsigned wanted, uint32_t* result);

}  // namespace malloom::heaps::bins
