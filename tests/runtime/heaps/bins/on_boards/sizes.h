// What an instance takes where words have 32 bits.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "include/malloom/bins.h"

namespace malloom::tests::on_boards {

/// With the lists of one level.
constexpr size_t bytes_without_table(size_t bins) {
    return sizeof(malloom_bins) + MALLOOM_BINS_LISTS(bins, 1);
}
/// With what a rehash needs too.
constexpr size_t bytes_with_table(size_t bins) {
    return sizeof(malloom_bins) + MALLOOM_BINS_STORAGE(bins, 1);
}

#if UINTPTR_MAX == UINT32_MAX
/// A bin takes two links, and two words where it may change; its bit is among the 128 bytes.
constexpr bool is_small(size_t bins) {
    return bytes_without_table(bins) <= 128 + 8 * bins && bytes_with_table(bins) <= 128 + 16 * bins;
}
static_assert(is_small(1) && is_small(16) && is_small(MALLOOM_BINS_ORIGINAL_COUNT) && is_small(256));
#endif

}  // namespace malloom::tests::on_boards
