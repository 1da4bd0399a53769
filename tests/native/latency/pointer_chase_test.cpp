// The walk goes through every line that it says, and the measurements are of the order that caches have
// anywhere.
#include "src/native/latency/pointer_chase.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <stdexcept>

#include "src/native/latency/memory_latency.h"
#include "src/native/latency/working_memory.h"

namespace malloom::native {
namespace {

constexpr uint64_t page_lines = 64;
constexpr uint64_t pair_lines = 2;

TEST(PointerChase, WalksOverAllOfFewLines) {
    LineOrder order = random_order(1000);
    EXPECT_FALSE(std::is_sorted(order.begin(), order.end()));
    std::sort(order.begin(), order.end());
    EXPECT_EQ(order, sequential_order(1000));
}

TEST(PointerChase, WalksOverSeparateLinesWhereThereAreMany) {
    constexpr uint64_t lines = uint64_t{1} << 22;
    const LineOrder order = random_order(lines);
    EXPECT_EQ(order.size(), most_chased_lines);
    EXPECT_LT(*std::max_element(order.begin(), order.end()), lines);
    std::set<uint64_t> pairs;
    std::set<uint64_t> pages;
    for (const uint32_t line : order) {
        pairs.insert(line / pair_lines);
        pages.insert(line / page_lines);
    }
    EXPECT_EQ(pairs.size(), order.size()) << "a line's neighbour comes with it";
    EXPECT_EQ(pages.size(), order.size() / 4);
}

TEST(PointerChase, IsACircleOfItsPlaces) {
    WorkingMemory memory(1 << 20, WorkingMemory::Pages::small);
    const std::span<std::byte> bytes = memory.resident(1 << 20);
    const LineOrder order = random_order(100);
    PointerChase chase(bytes, order);
    std::set<void*> visited;
    void* at = bytes.data();
    for (size_t step = 0; step < order.size(); ++step) {
        visited.insert(at);
        at = *static_cast<void**>(at);
    }
    EXPECT_EQ(visited.size(), order.size());
    EXPECT_EQ(at, bytes.data());
    EXPECT_GT(chase.nanoseconds_per_step(), 0);
}

TEST(PointerChase, RefusesToWalkOverNothing) {
    WorkingMemory memory(1 << 20, WorkingMemory::Pages::small);
    EXPECT_THROW(PointerChase(memory.resident(1 << 20), random_order(0)), std::invalid_argument);
}

// As where the kernel shows a cache without its size.
TEST(MemoryLatency, RefusesAWorkingSetWithoutALine) {
    MemoryLatency latency(1 << 20);
    EXPECT_THROW(latency.random_access(0, 0), std::invalid_argument);
    EXPECT_THROW(latency.sequential_access(chased_line_bytes - 1, 0), std::invalid_argument);
    EXPECT_GT(latency.random_access(chased_line_bytes, 0), 0);
}

TEST(WorkingMemory, RefusesMoreThanItHas) {
    WorkingMemory memory(1 << 20, WorkingMemory::Pages::huge);
    EXPECT_EQ(memory.resident(1 << 20).size(), size_t{1} << 20);
    EXPECT_THROW(memory.resident((1 << 20) + 1), std::out_of_range);
}

TEST(MemoryLatency, IsPositive) {
    MemoryLatency latency(1 << 20);
    EXPECT_GT(latency.random_access(1 << 20, 32 << 10), 0);
    EXPECT_GT(latency.sequential_access(1 << 20, 32 << 10), 0);
    EXPECT_GT(cycle_nanoseconds(), 0);
    EXPECT_LT(page_walk_nanoseconds(), 1e6);
}

}  // namespace
}  // namespace malloom::native
