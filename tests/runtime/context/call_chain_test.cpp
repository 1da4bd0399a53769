// Chains against glibc's backtrace(), frame for frame.
#include "runtime/context/call_chain.h"

#include <dlfcn.h>
#include <execinfo.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <thread>
#include <vector>

#include "tests/runtime/context/chain_probe.h"

namespace {

using malloom::context::Caller;
using malloom::context::max_depth;
using malloom::context::walk_call_chain;

// Both chains of one place, the walk's and backtrace()'s.
struct Chains {
    std::vector<uintptr_t> walked;
    std::vector<uintptr_t> expected;
};
Chains last;

void expect_equal(size_t at_least) {
    ASSERT_GE(last.walked.size(), at_least);
    EXPECT_EQ(last.walked, last.expected);
}

}  // namespace

// What stands for malloc in these tests.
extern "C" [[gnu::noinline]] void chain_probe() {
    const Caller caller = malloom::context::current_caller();
    uintptr_t walked[max_depth];
    const unsigned depth = walk_call_chain(caller, max_depth, walked);
    void* expected[max_depth + 1];
    const int found = backtrace(expected, max_depth + 1);
    last.walked.assign(walked, walked + depth);
    last.expected.clear();
    for (int i = 1; i < found; ++i) last.expected.push_back(reinterpret_cast<uintptr_t>(expected[i]));
}

TEST(CallChain, DepthOneIsTheReturnAddress) {
    uintptr_t frame = 0;
    EXPECT_EQ(walk_call_chain(Caller{42, 0, 0}, 1, &frame), 1U);
    EXPECT_EQ(frame, 42U);
    EXPECT_EQ(walk_call_chain(Caller{42, 0, 0}, 0, &frame), 0U);
}

TEST(CallChain, AgreesInATest) {
    chain_probe();
    expect_equal(5);
}
