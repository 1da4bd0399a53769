#include "runtime/context/reduced_chain.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <utility>
#include <vector>

namespace {

using malloom::context::max_depth;
using malloom::context::max_folded;
using malloom::context::ReducedChain;
using Chain = std::vector<uintptr_t>;

/// A stack as a walk sees it: return address and function, innermost first.
using Stack = std::vector<std::pair<uintptr_t, uintptr_t>>;

Chain reduce(const Stack& stack, unsigned depth) {
    uintptr_t frames[max_depth];
    ReducedChain chain(frames, depth);
    for (const auto& [return_address, function] : stack) {
        if (!chain.add(return_address, function)) {
            break;
        }
    }
    return {frames, frames + chain.count()};
}

TEST(ReducedChain, KeepsTheInnermostFrameOfEachFunction) {
    const Stack stack{{1, 160}, {2, 320}, {3, 320}, {4, 160}, {5, 480}, {6, 320}, {7, 640}};
    EXPECT_EQ(reduce(stack, max_depth), (Chain{1, 2, 5, 7}));
    EXPECT_EQ(reduce(stack, 3), (Chain{1, 2, 5}));
    EXPECT_EQ(reduce(stack, 1), (Chain{1}));
}

TEST(ReducedChain, KeepsFunctionsThatShareABitApart) {
    const Stack stack{{1, 16}, {2, 16 + 64 * 16}, {3, 17}, {4, 16 + 128 * 16}, {5, 16}};
    EXPECT_EQ(reduce(stack, max_depth), (Chain{1, 2, 3, 4}));
}

TEST(ReducedChain, EndsWhereTooMuchWouldBeLeftOut) {
    Stack stack(1 + max_folded, {1, 160});
    stack.emplace_back(2, 320);
    EXPECT_EQ(reduce(stack, max_depth), (Chain{1, 2}));
    stack.insert(stack.begin(), {3, 160});
    EXPECT_EQ(reduce(stack, max_depth), (Chain{3}));
}

// Functions are few, so that every kind of recursion comes up.
TEST(ReducedChain, IsTheBeginningOfEveryDeeperOne) {
    std::mt19937_64 random(1);
    for (int round = 0; round < 2000; ++round) {
        const uint64_t functions = 1 + random() % 40;
        Stack stack(random() % 64);
        for (auto& [return_address, function] : stack) {
            function = 16 + 16 * (random() % functions);
            return_address = 100 * function + random() % 4;
        }
        const Chain deepest = reduce(stack, max_depth);
        for (unsigned depth = 1; depth < max_depth; ++depth) {
            const Chain chain = reduce(stack, depth);
            ASSERT_EQ(chain, Chain(deepest.begin(), deepest.begin() + static_cast<long>(chain.size())));
            ASSERT_EQ(chain.size(), std::min<size_t>(depth, deepest.size()));
        }
    }
}

}  // namespace
