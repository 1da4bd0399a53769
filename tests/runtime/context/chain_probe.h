// The place where the tests of call chains look up the stack.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include <set>
#include <vector>

/// Walks the stack from its caller, by malloom and by backtrace(). The results are the calling thread's
/// last_chains.
extern "C" void chain_probe();

/// The chains of one place, innermost first, at most 32 frames.
struct Chains {
    std::vector<uintptr_t> walked;
    std::vector<uintptr_t> expected;
    std::vector<std::vector<uintptr_t>> shorter;  ///< walked at depths 1, 2, ... 31
    std::set<std::vector<uintptr_t>> distinct;    ///< all that were walked since somebody cleared this
};
extern thread_local Chains last_chains;

/// Fails the test where the last probe's chains differ or are shorter than `at_least`, or where the walk of a
/// smaller depth is not the beginning of the walk.
void expect_agreement(size_t at_least);
