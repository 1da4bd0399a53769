// Finds delinquent loads in what traces have recorded of them. Knows nothing of DynamoRIO. (Zhao, Rabbah,
// Wong: Dynamic Memory Optimization, section 3.)
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "optimizer/options.h"

namespace malloom::optimizer {

/// Successive references of one load that all lie equally far apart.
struct StrideRun {
    int64_t stride = 0;  ///< in bytes; negative where references go down, 0 where they stay
    size_t length = 0;   ///< how many strides in a row, so references less one
};

/// What makes a stride worth a prefetch.
struct StrideRules {
    uint64_t line_bytes = Options{}.line;
    uint64_t least_stride = Options{}.stride;  ///< in bytes
};

/// The stride's length, whatever its direction; in bytes.
uint64_t magnitude(int64_t stride);

/// The longest run in `references`, in the order of time; of equally long ones the first. A stride of 0 is a
/// stride like any other.
StrideRun longest_run(const uintptr_t* references, size_t count);

/// Whether a load is delinquent: its longest run is longer than half of the `entries` of its trace that were
/// recorded (the paper's t/2), and it moves by at least the least stride, up or down.
bool is_delinquent(const StrideRun& run, size_t entries, const StrideRules& rules);

/// Whether two loads of a trace made the same references, so that one prefetch serves both.
bool are_same_references(const uintptr_t* one, size_t one_count, const uintptr_t* other, size_t other_count);

}  // namespace malloom::optimizer
