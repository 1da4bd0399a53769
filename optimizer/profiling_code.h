// The cheap instrumentation of a trace that is being profiled (paper, section 3).
#pragma once

#include <dr_api.h>

#include "optimizer/trace_loads.h"
#include "optimizer/trace_profile.h"

namespace malloom::optimizer {

/// Reserves what the instrumentation needs of each thread. False when there is none.
bool init_profiling_code();

/// Makes the trace write the profile of `counter`: at its entry it takes a row, and before each load it
/// stores the address there. When the counter is at 0 it calls `counted(argument)`, with a clean call.
void insert_profiling(void* context, instrlist_t* trace, const TraceLoads& loads, EntryCounter* counter,
                      void (*counted)(void*), void* argument);

}  // namespace malloom::optimizer
