// How large a heap has to be: docs/guide/bounded-heap.md derives it.
#include "include/malloom/bins.h"
#include "runtime/heaps/bins/regions.h"

using namespace malloom::heaps::bins;

namespace {

/// Of sizes; SIZE_MAX where it would be more.
class Sum {
  public:
    void add(size_t times, size_t bytes) {
        size_t more = 0;
        is_too_large_ |= __builtin_mul_overflow(times, bytes, &more);
        is_too_large_ |= __builtin_add_overflow(bytes_, more, &bytes_);
    }
    size_t bytes() const { return is_too_large_ ? SIZE_MAX : bytes_; }

  private:
    size_t bytes_ = 0;
    bool is_too_large_ = false;
};

/// The largest chunk that the bin of this size holds; SIZE_MAX where it has no end.
size_t largest_beside(const malloom_bins& heap, size_t bytes) {
    const unsigned bin = heap.function(bytes, &heap);
    if (heap.function(most_bytes, &heap) == bin) {
        return SIZE_MAX;
    }
    size_t beyond = most_bytes;
    while (beyond - bytes > 1) {
        const size_t middle = bytes + (beyond - bytes) / 2;
        (heap.function(middle, &heap) == bin ? bytes : beyond) = middle;
    }
    return bytes & ~(heap.granule - 1);
}

/// The largest chunk that may be free while none is found for one of so many bytes.
size_t largest_in_vain(const malloom_bins& heap, size_t wanted) {
    const bool is_bounded = (heap.options & MALLOOM_BINS_BOUNDED) != 0;
    return is_bounded ? largest_beside(heap, wanted) : wanted - heap.granule;
}

/// What a living chunk has beyond what was asked for, at most: its size and what rounding adds, or all of the
/// least chunk, and a rest that is no chunk.
size_t most_beside_request(size_t granule) {
    const size_t rounded = overhead_bytes + granule - 1;
    const size_t least = least_chunk(granule);
    return (rounded > least ? rounded : least) + ((sizeof(Chunk) - 1) & ~(granule - 1));
}

/// Of a region, what is not its chunks', at most.
size_t most_beside_chunks(size_t granule) {
    return alignof(Region) - 1 + sizeof(Region) + head_bytes + granule - 1;
}

}  // namespace

extern "C" size_t malloom_bins_enough_for(const malloom_bins* heap, size_t objects, size_t bytes,
                                          size_t largest) {
    const size_t granule = heap->granule;
    if (granule == 0 || objects == 0 || largest > most_bytes / 2) {
        return 0;
    }
    Sum sum;
    sum.add(1, bytes);
    sum.add(objects - 1, most_beside_request(granule));
    sum.add(objects, largest_in_vain(*heap, chunk_bytes_for(largest, granule)));
    // One more than what may be in vain, in whole granules.
    sum.add(2, granule);
    sum.add(1, most_beside_chunks(granule));
    return sum.bytes() <= most_bytes ? sum.bytes() : 0;
}
