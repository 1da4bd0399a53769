// The cheap instrumentation of a trace that is being profiled (paper, section 3).
#pragma once

#include <dr_api.h>

#include "optimizer/trace_loads.h"
#include "optimizer/trace_profile.h"

namespace malloom::optimizer {

/// Called from the code cache when a trace has been entered as often as its profile wanted.
using ProfileFull = void (*)(TraceProfile*);

/// Reserves what the instrumentation needs of each thread. False when there is none.
bool init_profiling_code();

/// Makes the trace write `profile`: at its entry it takes a row, and before each load it stores the address
/// there.
void insert_profiling(void* context, instrlist_t* trace, const TraceLoads& loads, TraceProfile* profile,
                      ProfileFull profile_full);

}  // namespace malloom::optimizer
