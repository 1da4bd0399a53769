// The place where the tests of call chains look up the stack.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include <set>
#include <vector>

#include "runtime/context/call_chain.h"

/// Walks the stack from its caller, by malloom and by backtrace(). The results are the calling thread's
/// last_chains.
extern "C" void chain_probe();

/// The chains of one place, innermost first, at most 32 frames.
struct Chains {
    Chains() {
        // So that a probe in a signal handler allocates nothing, once its thread has been here.
        walked.reserve(max_depth);
        expected.reserve(max_depth);
        remembered.reserve(max_depth);
        shared.reserve(max_depth);
        reached.reserve(max_depth);
    }

    static constexpr unsigned max_depth = malloom::context::max_depth;
    std::vector<uintptr_t> walked;
    std::vector<uintptr_t> reached;  ///< step by step, by Reach
    std::vector<uintptr_t> expected;
    uintptr_t shorter[max_depth][max_depth];  ///< walked at depths 1, 2, ... 31
    unsigned shorter_count[max_depth];
    std::vector<uintptr_t> remembered;  ///< at remembered_depth, by RememberedWalks
    std::vector<uintptr_t> shared;      ///< the same by SharedWalks
    static constexpr unsigned remembered_depth = 6;
    bool collects = false;                      ///< whether `distinct` is kept
    std::set<std::vector<uintptr_t>> distinct;  ///< all that were walked
};
extern thread_local Chains last_chains;

/// Fails the test where the last probe's chains differ or are shorter than `at_least`, or where the walk of a
/// smaller depth, or a remembered one, is not the beginning of the walk.
void expect_agreement(size_t at_least);
