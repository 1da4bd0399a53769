#include "tests/runtime/context/chain_probe.h"

#include <execinfo.h>
#include <gtest/gtest.h>

#include "runtime/context/call_chain.h"

using malloom::context::Caller;
using malloom::context::max_depth;

thread_local Chains last_chains;

extern "C" [[gnu::noinline]] void chain_probe() {
    const Caller caller = malloom::context::current_caller();
    uintptr_t walked[max_depth];
    const unsigned depth = malloom::context::walk_call_chain(caller, max_depth, walked);
    void* frames[2 * max_depth];
    const int found = backtrace(frames, 2 * max_depth);
    // backtrace() starts in this function, or in the sanitizer's own; the comparison starts at the caller.
    int first = 0;
    while (first < found && reinterpret_cast<uintptr_t>(frames[first]) != caller.return_address) {
        ++first;
    }
    last_chains.walked.assign(walked, walked + depth);
    last_chains.expected.clear();
    for (int i = first; i < found && i < first + static_cast<int>(max_depth); ++i) {
        last_chains.expected.push_back(reinterpret_cast<uintptr_t>(frames[i]));
    }
}

void expect_agreement(size_t at_least) {
    EXPECT_GE(last_chains.walked.size(), at_least);
    EXPECT_EQ(last_chains.walked, last_chains.expected);
}
