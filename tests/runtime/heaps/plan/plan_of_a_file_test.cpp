// Large plans, whose slots are read as they are needed: what stays in memory of them, and what becomes of
// those who run with them when the file changes.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <functional>
#include <string>
#include <vector>

#include "plan_builder.h"
#include "runtime/heaps/plan/plan_heap.h"
#include "runtime/platform/memory.h"

namespace malloom::tests {
namespace {

constexpr uint32_t slots = 600000;

class PlanOfAFile : public testing::Test {
  protected:
    void SetUp() override {
        PlanBuilder builder(uint64_t{slots} * 16);
        std::vector<PlanBuilder::Slot> its;
        its.reserve(slots);
        for (uint32_t i = 0; i < slots; ++i) {
            its.push_back({slots - 1 - i, 1});
        }
        builder.add_context(1, its);
        builder.write(path);
        ASSERT_TRUE(plan.open(path.c_str())) << plan.problem();
        ASSERT_TRUE(heap.open(plan));
        heap.assign(requester, 0, slots);
    }
    void TearDown() override {
        heap.close();
        plan.close();
        remove(path.c_str());
    }

    void* place(uint32_t request) const {
        return static_cast<char*>(heap.arena()) + uint64_t{slots - 1 - request} * 16;
    }
    // By the short way and the long one in turn.
    void* allocate(uint32_t request) {
        void* object = request % 2 != 0 ? heap.allocate_small(16, 0, requester) : nullptr;
        return object != nullptr ? object : heap.allocate({16, 0, &requester});
    }
    size_t resident_bytes() const {
        const size_t page = platform::page_bytes();
        const auto begin = platform::round_down(reinterpret_cast<uintptr_t>(plan.slots()), page);
        std::vector<unsigned char> states(slots * sizeof(PlanBuilder::Slot) / page);
        EXPECT_EQ(mincore(reinterpret_cast<void*>(begin), states.size() * page, states.data()), 0);
        return page *
               static_cast<size_t>(std::count_if(states.begin(), states.end(),
                                                 [](unsigned char state) { return (state & 1) != 0; }));
    }
    // Of the requests from `first` on, all of which are made, those at their places; the others get nothing.
    uint32_t placed_from(uint32_t first) {
        uint32_t placed = 0;
        for (uint32_t i = first; i < slots; ++i) {
            void* object = allocate(i);
            EXPECT_TRUE(object == nullptr || object == place(i)) << i;
            placed += object != nullptr;
        }
        return placed;
    }
    // What is changed after half of the requests; then how many of the others are placed.
    uint32_t placed_after(const std::function<void()>& change) {
        for (uint32_t i = 0; i < slots / 2; ++i) {
            EXPECT_EQ(allocate(i), place(i));
        }
        change();
        return placed_from(slots / 2);
    }

    const std::string path = testing::TempDir() + "plan_of_a_file_" + std::to_string(getpid()) + ".plan";
    heaps::PlanFile plan;
    heaps::PlanHeap heap;
    heaps::PlannedContext requester;
};

TEST_F(PlanOfAFile, ItsPagesAreGivenBackBehindTheRequester) {
    size_t most = 0;
    for (uint32_t i = 0; i < slots; ++i) {
        ASSERT_EQ(allocate(i), place(i));
        most = i % 100000 == 0 ? std::max(most, resident_bytes()) : most;
    }
    EXPECT_GT(most, 0u);
    EXPECT_LT(most, size_t{256} << 10);
}

TEST_F(PlanOfAFile, WhatIsReadBeforeItIsCutIsUsed) {
    EXPECT_LT(placed_after([&] { ASSERT_EQ(truncate(path.c_str(), 0), 0); }), 20000u);
    EXPECT_EQ(heap.given_up(), 1u);
}

TEST_F(PlanOfAFile, AReplacedFileIsReadOn) {
    const auto replace = [&] {
        std::ofstream(path + ".new") << "no plan";
        ASSERT_EQ(rename((path + ".new").c_str(), path.c_str()), 0);
    };
    EXPECT_EQ(placed_after(replace), slots / 2);
}

TEST_F(PlanOfAFile, AClosedDescriptorEndsThePlan) {
    EXPECT_LT(placed_after([] { closefrom(3); }), 20000u);
    EXPECT_EQ(heap.given_up(), 1u);
}

// Bytes that name granules far outside of the arena, none, and those of others.
TEST_F(PlanOfAFile, WordsThatAreWrittenOverItAreNotBelieved) {
    const auto write_over = [&] {
        std::vector<char> words(1 << 20);
        for (size_t i = 0; i < words.size(); ++i) {
            words[i] = static_cast<char>(i * i >> 3);
        }
        const int file = open(path.c_str(), O_WRONLY | O_CLOEXEC);
        for (off_t at = 0; at < off_t{slots} * 8; at += static_cast<off_t>(words.size())) {
            ASSERT_GT(pwrite(file, words.data(), words.size(), at), 0);
        }
        close(file);
    };
    EXPECT_LT(placed_after(write_over), 20000u);
    EXPECT_EQ(plan.header().slots_count, slots) << "the header was read before";
    ASSERT_NE(plan.find_context(1), nullptr);
}

TEST(PlanFile, ASmallPlanIsReadWhole) {
    PlanBuilder builder(4096);
    builder.add_context(1, {{0, 1}, {1, 1}});
    const std::string path = testing::TempDir() + "small_" + std::to_string(getpid()) + ".plan";
    builder.write(path);
    heaps::PlanFile plan;
    ASSERT_TRUE(plan.open(path.c_str()));
    EXPECT_FALSE(plan.fetches_slots());
    ASSERT_EQ(truncate(path.c_str(), 0), 0);
    ASSERT_NE(plan.find_context(1), nullptr);
    EXPECT_EQ(plan.slots()[1].start, 1u);
    plan.close();
    EXPECT_FALSE(plan.open(path.c_str()));
    EXPECT_STREQ(plan.problem(), "is too short for a plan");
    remove(path.c_str());
}

// It takes no room on the disk, and would need 100 GB of memory if it were read.
TEST(PlanFile, AHugeSparseFileIsNotRead) {
    PlanBuilder builder(4096);
    builder.add_context(1, {{0, 1}, {1, 1}});
    size_t bytes = 0;
    builder.build(bytes);
    constexpr uint64_t huge = uint64_t{100} << 30;
    builder.header.file_bytes = huge;
    builder.header.contexts_capacity = uint64_t{1} << 31;
    builder.seal();
    const std::string path = testing::TempDir() + "sparse_" + std::to_string(getpid()) + ".plan";
    std::ofstream(path, std::ios::binary)
        .write(reinterpret_cast<const char*>(&builder.header), sizeof builder.header);
    ASSERT_EQ(truncate(path.c_str(), huge), 0);
    heaps::PlanFile plan;
    EXPECT_FALSE(plan.open(path.c_str()));
    EXPECT_STREQ(plan.problem(), "has more contexts than any program: it is damaged");
    remove(path.c_str());
}

}  // namespace
}  // namespace malloom::tests
