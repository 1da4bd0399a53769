// Which traces are profiled: those that may gain from it, as far as that is paid for.
#pragma once

#include <dr_api.h>

#include "optimizer/options.h"

namespace malloom::optimizer {

/// Before the first module is loaded.
void init_profiled_traces(const Options& options);

/// Whether a trace that the trace event is about is to be profiled. Guarded by the caller's lock, like the
/// next.
bool is_worth_profiling(instrlist_t* trace, void* tag);

/// One more was.
void count_profiled_trace();

}  // namespace malloom::optimizer
