#include "runtime/structures/freestanding/index_stack.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

#include "runtime/structures/alone.h"

namespace malloom::tests {
namespace {

using structures::alone;
using structures::IndexStack;

TEST(IndexStack, GivesTheLastPushedFirst) {
    IndexStack stack;
    uint32_t links[8] = {};
    EXPECT_EQ(stack.pop(alone(), links), IndexStack::none);
    for (uint32_t index : {0u, 5u, 7u}) {
        stack.push(alone(), links, index);
    }
    EXPECT_EQ(stack.pop(alone(), links), 7u);
    stack.push(alone(), links, 2);
    EXPECT_EQ(stack.pop(alone(), links), 2u);
    EXPECT_EQ(stack.pop(alone(), links), 5u);
    EXPECT_EQ(stack.pop(alone(), links), 0u);
    EXPECT_EQ(stack.pop(alone(), links), IndexStack::none);
}

TEST(IndexStack, NoNumberIsWithTwoThreads) {
    constexpr uint32_t count = 8;
    IndexStack stack;
    uint32_t links[count] = {};
    std::atomic<int> holders[count] = {};
    for (uint32_t index = 0; index < count; ++index) {
        stack.push(alone(), links, index);
    }
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i) {
        threads.emplace_back([&] {
            for (int step = 0; step < 50000; ++step) {
                const uint32_t index = stack.pop(alone(), links);
                if (index != IndexStack::none) {
                    ASSERT_EQ(holders[index].fetch_add(1), 0);
                    holders[index].fetch_sub(1);
                    stack.push(alone(), links, index);
                }
            }
        });
    }
    for (auto& thread : threads) {
        thread.join();
    }
    uint32_t left = 0;
    while (stack.pop(alone(), links) != IndexStack::none) {
        ++left;
    }
    EXPECT_EQ(left, count);
}

}  // namespace
}  // namespace malloom::tests
