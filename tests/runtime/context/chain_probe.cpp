#include "tests/runtime/context/chain_probe.h"

#include <execinfo.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "runtime/context/call_chain.h"
#include "runtime/context/context_table.h"
#include "runtime/context/reach.h"
#include "runtime/context/reduced_chain.h"
#include "runtime/context/remembered_walks.h"
#include "runtime/context/shared_walks.h"
#include "tests/runtime/context/expected_chain.h"

using malloom::context::Caller;
using malloom::context::max_depth;

thread_local Chains last_chains;

namespace {

using Table = malloom::context::ContextTable<int>;

Table contexts;
thread_local malloom::context::RememberedWalks<Table::Entry> remembered_walks;
malloom::context::SharedWalks<Table::Entry> shared_walks;

Table::Entry& entry_of_chain(const uintptr_t* frames, unsigned depth) {
    return contexts.find_or_insert(frames, depth, [](Table::Entry&) {});
}

void reach_callers(const Caller& caller) {
    uintptr_t frames[max_depth];
    malloom::context::ReducedChain chain(frames, max_depth);
    malloom::context::Reach reach(caller);
    malloom::context::Step step = malloom::context::step_from(reach.return_address());
    while (chain.add(reach.return_address(), step.function) && reach.go(step.rule)) {
        step = malloom::context::step_from(reach.return_address());
    }
    last_chains.reached.assign(frames, frames + chain.count());
}

}  // namespace

extern "C" [[gnu::noinline]] void chain_probe() {
    const Caller caller = malloom::context::current_caller();
    uintptr_t walked[max_depth];
    const unsigned depth = malloom::context::walk_call_chain(caller, max_depth, walked);
    last_chains.walked.assign(walked, walked + depth);
    reach_callers(caller);
    if (last_chains.collects) {
        last_chains.distinct.insert(last_chains.walked);
    }
    for (unsigned less = 1; less < max_depth; ++less) {
        last_chains.shorter_count[less - 1] =
            malloom::context::walk_call_chain(caller, less, last_chains.shorter[less - 1]);
    }
    const Table::Entry& entry = remembered_walks.entry_of(caller, Chains::remembered_depth, entry_of_chain);
    last_chains.remembered.assign(entry.frames, entry.frames + entry.depth);
    const Table::Entry* known = shared_walks.find(caller);
    const Table::Entry& shared =
        known != nullptr ? *known : shared_walks.walk(caller, Chains::remembered_depth, entry_of_chain);
    last_chains.shared.assign(shared.frames, shared.frames + shared.depth);
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
    EXPECT_EQ(last_chains.reached, last_chains.walked);
    for (size_t depth = 1; depth < max_depth; ++depth) {
        const uintptr_t* shorter = last_chains.shorter[depth - 1];
        const size_t count = last_chains.shorter_count[depth - 1];
        ASSERT_EQ(count, std::min(depth, last_chains.walked.size()));
        EXPECT_TRUE(std::equal(shorter, shorter + count, last_chains.walked.begin()));
    }
    const size_t remembered = std::min<size_t>(Chains::remembered_depth, last_chains.walked.size());
    last_chains.walked.resize(remembered);
    EXPECT_EQ(last_chains.remembered, last_chains.walked);
    EXPECT_EQ(last_chains.shared, last_chains.walked);
}
