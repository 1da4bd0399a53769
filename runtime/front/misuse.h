// The line with which a program ends that frees what it must not.
#pragma once

#include "include/malloom/bins.h"
#include "runtime/front/sites.h"

namespace malloom::front {

/// From now on the heaps name the call that frees what it must not, and pools the sites that had requested
/// it, before they end the program. The sites live as long as the process. Once.
void name_sites_on_misuse(Sites& sites);

/// The same for the bin heaps (ThreadBins::OnMisuse), which know of no sites.
void end_by_bins_misuse(malloom_bins_result what, const void* object, bool was_deferred);

}  // namespace malloom::front
