// From a trace's profile to the prefetches that it gets. Knows nothing of DynamoRIO.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "optimizer/stride_analysis.h"
#include "optimizer/trace_profile.h"

namespace malloom::optimizer {

struct ChosenPrefetch {
    size_t column;     ///< of the load whose lines are prefetched
    bool is_indirect;  ///< through a word that another load of the trace reads
    int64_t stride;    ///< in bytes, of the load; of the other load if indirect
};

/// For each column the column of the load that produces its base or index, if a prefetch can go through it;
/// else TraceProfile::most_loads.
using Producers = const uint8_t*;

/// Chooses at most `most` prefetches for the first `columns` columns of `rows`, in program order:
/// one for each delinquent load whose references no earlier load made (paper, section 3); and, beyond the
/// paper, one for each load that jumps from line to line, but whose register is produced by a load that
/// itself strides. Loads through frame pointers, whose references lie on the stack, get none. Returns how
/// many.
size_t choose_prefetches(const ThreadRows& rows, size_t columns, Producers producers,
                         const StrideRules& rules, ChosenPrefetch* chosen, size_t most);

}  // namespace malloom::optimizer
