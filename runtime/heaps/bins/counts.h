// What is counted of bins.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "include/malloom/bins.h"
#include "runtime/heaps/bins/chunk.h"

namespace malloom::heaps::bins {

/// One that stays at its end.
[[gnu::always_inline]] inline uint32_t sum_of(uint32_t one, uint32_t other) {
    return one + other >= one ? one + other : UINT32_MAX;
}

/// Of what was counted of a bin.
[[gnu::always_inline]] inline void add_to(uint32_t& count, uint32_t more) {
    count = sum_of(count, more);
}

/// Counts an object that is given back, which was judged, one of many: in the bin that its chunk will come
/// into, with its free neighbours.
template <class Policy>
[[gnu::always_inline]] inline void count_release(malloom_bins& heap, const Chunk& chunk) {
    size_t bytes = bytes_of(chunk);
    const Chunk& next = after(chunk, bytes);
    bytes += (next.head & lives) == 0 ? bytes_of(next) : 0;
    bytes += (chunk.head & before_lives) == 0 ? chunk.bytes_before : 0;
    add_to(heap.counts[Policy::bin_of(heap, bytes)], 1);
    heap.releases_left = uint32_t{1} << heap.sampled;
}

}  // namespace malloom::heaps::bins
