#include "optimizer/trace_profile.h"

#include <string.h>

namespace malloom::optimizer {

namespace {

// Frames of one thread's recursion lie closer together than two threads' stacks, except for tiny stacks.
constexpr uintptr_t stack_reach = 256 << 10;

bool are_of_one_thread(uintptr_t one, uintptr_t other) {
    return one - other + stack_reach <= 2 * stack_reach;
}

}  // namespace

void TraceProfile::begin(size_t loads) {
    memset(stacks, 0, sizeof stacks);
    memset(references, 0, loads * sizeof *references);
}

ThreadRows::ThreadRows(const TraceProfile& profile, size_t entries) : profile_(profile) {
    const uintptr_t last = profile.stacks[0];
    for (size_t row = entries; row-- > 0;) {
        if (profile.stacks[row] != 0 && are_of_one_thread(profile.stacks[row], last))
            rows_[count_++] = static_cast<uint8_t>(row);
    }
}

void ThreadRows::gather(size_t load, LoadReferences& into) const {
    into.count = 0;
    for (size_t i = 0; i < count_; ++i) {
        const uintptr_t address = profile_.references[load][rows_[i]];
        if (address != 0) into.addresses[into.count++] = address;
    }
}

}  // namespace malloom::optimizer
