#include "optimizer/stride_analysis.h"

#include <string.h>

namespace malloom::optimizer {

uint64_t magnitude(int64_t stride) {
    return stride < 0 ? uint64_t{0} - static_cast<uint64_t>(stride) : static_cast<uint64_t>(stride);
}

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

bool are_same_references(const uintptr_t* one, size_t one_count, const uintptr_t* other, size_t other_count) {
    return one_count == other_count && memcmp(one, other, one_count * sizeof *one) == 0;
}

}  // namespace malloom::optimizer
