// What heaps over the same lists differ in: how a size finds its bin, how empty bins are passed, and what is
// counted.
#pragma once

#include <stddef.h>

#include "include/malloom/bins.h"
#include "runtime/codegen/bins/table_functions.h"
#include "runtime/heaps/bins/free_lists.h"

namespace malloom::heaps::bins {

/// The bins are those of the instance; a map of those that are filled leads past the empty ones.
struct ShippedPolicy {
    static constexpr bool counts = true;
    static constexpr bool leaves_rest_in_list = true;  ///< where it belongs into the list of the whole
    [[gnu::always_inline]] static unsigned bin_of(const malloom_bins& heap, size_t bytes) {
        return heap.function(bytes, &heap);
    }
    [[gnu::always_inline]] static unsigned next_filled(FreeLists& lists, const malloom_bins&, unsigned bin) {
        return lists.next_filled(bin);
    }
};

/// The same of dlmalloc's bins, which no call leads to, without counters.
struct OriginalPolicy : ShippedPolicy {
    static constexpr bool counts = false;
    [[gnu::always_inline]] static unsigned bin_of(const malloom_bins&, size_t bytes) {
        return codegen::bins::original_bin(bytes);
    }
};

}  // namespace malloom::heaps::bins
