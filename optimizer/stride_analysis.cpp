#include "optimizer/stride_analysis.h"

#include <string.h>

namespace malloom::optimizer {

namespace {

uint64_t magnitude(int64_t stride) {
    return stride < 0 ? uint64_t{0} - static_cast<uint64_t>(stride) : static_cast<uint64_t>(stride);
}

uint64_t whole_strides_in(uint64_t bytes, uint64_t stride) {
    const uint64_t strides = (bytes + stride / 2) / stride;
    return (strides != 0 ? strides : 1) * stride;
}

}  // namespace

StrideRun longest_run(const uintptr_t* references, size_t count) {
    StrideRun longest, run;
    for (size_t i = 1; i < count; ++i) {
        const auto stride = static_cast<int64_t>(references[i] - references[i - 1]);
        run = {stride, stride == run.stride ? run.length + 1 : 1};
        if (run.length > longest.length) longest = run;
    }
    return longest;
}

bool is_delinquent(const StrideRun& run, size_t entries, const StrideRules& rules) {
    return run.length > entries / 2 && run.stride != 0 && magnitude(run.stride) >= rules.least_stride;
}

int64_t prefetch_distance(int64_t stride, uint64_t lines_ahead, const StrideRules& rules) {
    const uint64_t step = magnitude(stride);
    const uint64_t wanted = lines_ahead * rules.line_bytes;
    const uint64_t ahead = rules.whole_strides && step != 0 ? whole_strides_in(wanted, step) : wanted;
    return stride < 0 ? stride - static_cast<int64_t>(ahead) : stride + static_cast<int64_t>(ahead);
}

bool are_same_references(const uintptr_t* one, size_t one_count, const uintptr_t* other, size_t other_count) {
    return one_count == other_count && memcmp(one, other, one_count * sizeof *one) == 0;
}

}  // namespace malloom::optimizer
