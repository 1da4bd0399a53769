// The table of prefetches that lies in libmalloom.so and that the client fills, for the plan of this run.
#pragma once

#include "optimizer/prefetch_code.h"
#include "optimizer/trace_loads.h"

namespace malloom::optimizer {

/// Adds a prefetch that a trace has got to the table: `is_used` once it is there to stay, not while it is
/// tried. A prefetch that stays in one trace is used, whatever others made of it. Without libmalloom.so, or
/// where a plan cannot say it, nothing is added. One thread at a time.
void add_strided_prefetch(const AddressGroup& group, PrefetchDistance distance, bool non_temporal,
                          bool is_used);
void add_indirect_prefetch(const AddressGroup& group, PrefetchDistance distance, bool is_used);

}  // namespace malloom::optimizer
