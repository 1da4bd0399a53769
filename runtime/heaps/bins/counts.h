// What is counted of bins.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "include/malloom/bins.h"
#include "runtime/heaps/bins/chunk.h"

namespace malloom::heaps::bins {

/// Of what was counted of a bin, which stays at its end.
[[gnu::always_inline]] inline void add_to(uint32_t& count, uint32_t more) {
    const uint32_t sum = count + more;
    count = sum >= more ? sum : UINT32_MAX;
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
