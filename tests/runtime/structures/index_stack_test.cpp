#include "runtime/structures/index_stack.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

namespace malloom::tests {
namespace {

using structures::IndexStack;

TEST(IndexStack, GivesTheLastPushedFirst) {
    IndexStack stack;
    uint32_t links[8] = {};
    EXPECT_EQ(stack.pop(links), IndexStack::none);
    for (uint32_t index : {0u, 5u, 7u}) {
        stack.push(links, index);
    }
    EXPECT_EQ(stack.pop(links), 7u);
    stack.push(links, 2);
    EXPECT_EQ(stack.pop(links), 2u);
    EXPECT_EQ(stack.pop(links), 5u);
    EXPECT_EQ(stack.pop(links), 0u);
    EXPECT_EQ(stack.pop(links), IndexStack::none);
}

TEST(IndexStack, NoNumberIsWithTwoThreads) {
    constexpr uint32_t count = 8;
    IndexStack stack;
    uint32_t links[count] = {};
    std::atomic<int> holders[count] = {};
    for (uint32_t index = 0; index < count; ++index) {
        stack.push(links, index);
    }
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i) {
        threads.emplace_back([&] {
            for (int step = 0; step < 50000; ++step) {
                const uint32_t index = stack.pop(links);
                if (index != IndexStack::none) {
                    ASSERT_EQ(holders[index].fetch_add(1), 0);
                    holders[index].fetch_sub(1);
                    stack.push(links, index);
                }
            }
        });
    }
    for (auto& thread : threads) {
        thread.join();
    }
    uint32_t left = 0;
    while (stack.pop(links) != IndexStack::none) {
        ++left;
    }
    EXPECT_EQ(left, count);
}

}  // namespace
}  // namespace malloom::tests
