// Prefetches for the delinquent loads of traces (paper section 3): the interface between the client's events
// and profiling, analysis and injection.
#pragma once

#include <dr_api.h>

#include "optimizer/options.h"

namespace malloom::optimizer {

/// Before the first block is built. False without memory.
bool init_trace_prefetching(const Options& options);

/// From the trace event, with its arguments: may add instructions to `trace`, and says how it is to be
/// emitted. Any thread.
dr_emit_flags_t optimize_trace(void* drcontext, void* tag, instrlist_t* trace, bool translating);

}  // namespace malloom::optimizer
