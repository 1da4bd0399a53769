// From a size to its bin.
#pragma once

#include <stdint.h>

namespace malloom::heaps::bins {

/// The smallest size of each of the bins of malloom_bins_original.
uint32_t original_begin(unsigned bin);

}  // namespace malloom::heaps::bins
