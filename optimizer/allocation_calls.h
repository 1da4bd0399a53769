// Calls of the malloc family in blocks of code (paper, section 2): redirected to the monitored entry at
// first, to the pool's or to the original function once they are part of a trace.
#pragma once

#include <dr_api.h>

#include "optimizer/options.h"

namespace malloom::optimizer {

bool init_allocation_calls(const Options& options);
void exit_allocation_calls();

/// From the block event, with its arguments: redirects the call that ends the block, if it is one. Any
/// thread.
dr_emit_flags_t redirect_allocation(void* drcontext, void* tag, instrlist_t* block, bool for_trace);

/// How many promoted sites were given up.
uint64_t sites_given_up();

}  // namespace malloom::optimizer
