#include "runtime/heaps/bins/functions.h"

#include "include/malloom/bins.h"

namespace malloom::heaps::bins {

uint32_t original_begin(unsigned bin) {
    if (bin < 64) {
        return bin << 3;
    }
    if (bin < 96) {
        return (bin - 56) << 6;
    }
    if (bin < 112) {
        return (bin - 91) << 9;
    }
    // Here dlmalloc's steps do not meet: two of them give the same bin, or the larger one begins within a
    // bin.
    if (bin == 112) {
        return 21 << 9;
    }
    if (bin < 121) {
        return (bin - 110) << 12;
    }
    return bin < 125 ? (bin - 119) << 15 : (bin - 124) << 18;
}

}  // namespace malloom::heaps::bins

extern "C" {

// Lea 2000, bin_index of version 2.6.
unsigned int malloom_bins_original(size_t chunk_bytes, const malloom_bins*) {
    const size_t lines = chunk_bytes >> 9;
    if (lines == 0) {
        return static_cast<unsigned>(chunk_bytes >> 3);
    }
    if (lines <= 4) {
        return static_cast<unsigned>(56 + (chunk_bytes >> 6));
    }
    if (lines <= 20) {
        return static_cast<unsigned>(91 + lines);
    }
    if (lines <= 84) {
        return static_cast<unsigned>(110 + (chunk_bytes >> 12));
    }
    if (lines <= 340) {
        return static_cast<unsigned>(119 + (chunk_bytes >> 15));
    }
    return lines <= 1364 ? static_cast<unsigned>(124 + (chunk_bytes >> 18)) : 126;
}

unsigned int malloom_bins_variable(size_t chunk_bytes, const malloom_bins* heap) {
    const uint32_t* begin = heap->begins;
    for (unsigned ranges = heap->bins; ranges > 1;) {
        const unsigned half = ranges / 2;
        begin = begin[half] <= chunk_bytes ? begin + half : begin;
        ranges -= half;
    }
    return static_cast<unsigned>(begin - heap->begins);
}

}  // extern "C"
