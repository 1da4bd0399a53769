// The table of call sites that lies in libmalloom.so and that the client fills.
#pragma once

#include "optimizer/run_time_library.h"

namespace malloom::optimizer {

bool init_site_table();
void exit_site_table();

/// The site of the call that returns to this address, a new one where there is none yet; nullptr when the
/// table is full. Any thread.
front::DynamicSite* site_of(app_pc return_address);

}  // namespace malloom::optimizer
