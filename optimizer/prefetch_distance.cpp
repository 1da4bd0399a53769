#include "optimizer/prefetch_distance.h"

#include "optimizer/stride_analysis.h"

namespace malloom::optimizer {

namespace {

uint64_t whole_strides_in(uint64_t bytes, uint64_t stride) {
    const uint64_t strides = (bytes + stride / 2) / stride;
    return (strides != 0 ? strides : 1) * stride;
}

}  // namespace

PrefetchDistance DistanceRule::for_stride(int64_t stride) const {
    const uint64_t step = magnitude(stride);
    if (step > most_distance_bytes) return {};
    const uint64_t wanted = lines * line_bytes;
    const uint64_t ahead = step + (whole_strides && step != 0 ? whole_strides_in(wanted, step) : wanted);
    if (ahead > most_distance_bytes) return {};
    return {stride < 0 ? -static_cast<int64_t>(ahead) : static_cast<int64_t>(ahead)};
}

}  // namespace malloom::optimizer
