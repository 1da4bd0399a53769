#include "tests/runtime/context/chain_probe.h"

#include <execinfo.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "runtime/context/call_chain.h"
#include "tests/runtime/context/expected_chain.h"

using malloom::context::Caller;
using malloom::context::max_depth;

thread_local Chains last_chains;

extern "C" [[gnu::noinline]] void chain_probe() {
    const Caller caller = malloom::context::current_caller();
    uintptr_t walked[max_depth];
    const unsigned depth = malloom::context::walk_call_chain(caller, max_depth, walked);
    last_chains.walked.assign(walked, walked + depth);
    last_chains.distinct.insert(last_chains.walked);
    last_chains.shorter.clear();
    for (unsigned less = 1; less < max_depth; ++less) {
        const unsigned count = malloom::context::walk_call_chain(caller, less, walked);
        last_chains.shorter.emplace_back(walked, walked + count);
    }
    void* frames[2 * max_depth];
    const int found = backtrace(frames, 2 * max_depth);
    // backtrace() starts in this function, or in the sanitizer's own; the comparison starts at the caller.
    int first = 0;
    while (first < found && reinterpret_cast<uintptr_t>(frames[first]) != caller.return_address) {
        ++first;
    }
    ExpectedChain expected;
    expected.reduce(frames + first, static_cast<unsigned>(found - first));
    last_chains.expected.assign(expected.frames, expected.frames + expected.count);
}

void expect_agreement(size_t at_least) {
    EXPECT_GE(last_chains.walked.size(), at_least);
    EXPECT_EQ(last_chains.walked, last_chains.expected);
    for (size_t depth = 1; depth < max_depth; ++depth) {
        const std::vector<uintptr_t>& shorter = last_chains.shorter[depth - 1];
        ASSERT_EQ(shorter.size(), std::min(depth, last_chains.walked.size()));
        EXPECT_TRUE(std::equal(shorter.begin(), shorter.end(), last_chains.walked.begin()));
    }
}
