#include "runtime/heaps/plan/plan_heap.h"

#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <thread>

#include "runtime/platform/memory.h"
#include "tests/runtime/heaps/compositions.h"

namespace malloom::tests {
namespace {

class PlanHeapTest : public testing::Test {
  protected:
    void open(const std::vector<PlanBuilder::Slot>& slots, uint64_t arena_bytes = 1 << 20) {
        PlanBuilder builder(arena_bytes);
        builder.add_context(1, slots);
        size_t bytes = 0;
        image = builder.build(bytes);
        ASSERT_TRUE(plan.open(reinterpret_cast<const unsigned char*>(image.data()), bytes)) << plan.problem();
        ASSERT_TRUE(heap.open(plan));
        heap.assign(requester, 0, slots.size());
        arena = static_cast<char*>(heap.arena());
    }
    void TearDown() override { heap.close(); }

    void* allocate(size_t bytes, size_t alignment = 0) {
        return heap.allocate({bytes, alignment, &requester});
    }
    void* place(uint64_t granule) const { return arena + granule * 16; }

    std::vector<uint64_t> image;
    heaps::PlanFile plan;
    heaps::PlanHeap heap;
    heaps::PlannedContext requester;
    char* arena = nullptr;
};

TEST_F(PlanHeapTest, EveryRequestGoesToItsSlot) {
    open({{10, 1}, {4, 2}, {100, 80}, {62, 4}});
    EXPECT_EQ(allocate(16), place(10));
    EXPECT_EQ(allocate(17), place(4));
    EXPECT_EQ(allocate(80 * 16), place(100));
    EXPECT_EQ(allocate(50), place(62));
    EXPECT_EQ(allocate(16), nullptr);
    EXPECT_EQ(heap.usable_size(place(100)), 80u * 16);
    EXPECT_EQ(heap.usable_size(place(62)), 64u);
}

TEST_F(PlanHeapTest, AnAdditionalRequestLeavesTheSlotToTheNext) {
    open({{0, 1}, {1, 1}, {2, 1}});
    EXPECT_EQ(allocate(16), place(0));
    EXPECT_EQ(allocate(17), nullptr);
    EXPECT_EQ(allocate(16), place(1));
}

TEST_F(PlanHeapTest, ARequestOfAnotherSizeIsPassedByTheNext) {
    open({{0, 1}, {1, 2}, {3, 3}, {6, 4}});
    EXPECT_EQ(allocate(16), place(0));
    EXPECT_EQ(allocate(160), nullptr);
    EXPECT_EQ(allocate(48), place(3));
    EXPECT_EQ(allocate(64), place(6));
}

TEST_F(PlanHeapTest, MissingRequestsAreSkippedAfterAFew) {
    std::vector<PlanBuilder::Slot> slots;
    for (uint32_t i = 0; i < 100; ++i) {
        slots.push_back({i * 128, i + 1});
    }
    open(slots, 1 << 20);
    const auto ask = [this](uint32_t slot) { return allocate((slot + 1) * 16) == place(slot * 128); };
    EXPECT_TRUE(ask(0));
    EXPECT_FALSE(ask(3));
    EXPECT_TRUE(ask(4)) << "two in a row, near";
    EXPECT_TRUE(ask(5));
    EXPECT_FALSE(ask(15));
    EXPECT_FALSE(ask(16));
    EXPECT_TRUE(ask(17)) << "three, further ahead";
    EXPECT_FALSE(ask(80));
    EXPECT_FALSE(ask(81));
    EXPECT_FALSE(ask(82));
    EXPECT_FALSE(ask(83)) << "too far";
    EXPECT_FALSE(ask(70));
    EXPECT_FALSE(ask(71));
    EXPECT_FALSE(ask(72));
    EXPECT_TRUE(ask(73)) << "four, far ahead";
}

// A thread that the system stops for a while in the middle of a request takes nothing from the others.
TEST_F(PlanHeapTest, ThreadsThatShareARequesterGetNearlyAllItsSlots) {
    constexpr uint32_t count = 1000000;
    std::vector<PlanBuilder::Slot> slots;
    for (uint32_t i = 0; i < count; ++i) {
        slots.push_back({4 * i, 4});
    }
    open(slots, uint64_t{count} * 64);
    std::atomic<uint32_t> got = 0;
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i) {
        threads.emplace_back([&] {
            for (uint32_t request = 0; request < count / 4; ++request) {
                void* object = heap.allocate_small(64, 0, requester);
                got += object != nullptr || allocate(64) != nullptr ? 1 : 0;
            }
        });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    EXPECT_GT(got, count - count / 20);
    EXPECT_EQ(heap.given_up(), 0U);
}

TEST_F(PlanHeapTest, SlotsThatHardlyEverFitAreGivenUp) {
    open(std::vector<PlanBuilder::Slot>(2000, {0, 1}));
    int asked = 0;
    while (heaps::PlanHeap::has_slot(requester)) {
        ASSERT_LT(++asked, 1000);
        EXPECT_EQ(allocate(100), nullptr);
    }
    EXPECT_EQ(heap.given_up(), 1u);
    EXPECT_EQ(allocate(16), nullptr);
    EXPECT_EQ(heap.exhausted_slots(), 2000u);
}

class AfterManyThatFitted : public PlanHeapTest {
  protected:
    static constexpr int fitted = 8000;

    void SetUp() override {
        std::vector<PlanBuilder::Slot> slots;
        for (uint32_t i = 0; i < 5 * fitted / 2; ++i) {
            slots.push_back({i, 1});
        }
        open(slots);
        for (int i = 0; i < fitted; ++i) {
            ASSERT_EQ(allocate(16), place(static_cast<uint64_t>(i)));
        }
    }
};

TEST_F(AfterManyThatFitted, SlotsThatFitNoMoreAreGivenUp) {
    int asked = 0;
    while (heaps::PlanHeap::has_slot(requester)) {
        ASSERT_LT(++asked, fitted / 4) << "what was before counts for little";
        EXPECT_EQ(allocate(100), nullptr);
    }
    EXPECT_EQ(heap.given_up(), 1U);
}

TEST_F(AfterManyThatFitted, APartThatThePlanDoesNotKnowIsBorne) {
    for (int part = 0; part < 3; ++part) {
        for (int i = 0; i < 500; ++i) {
            EXPECT_EQ(allocate(100), nullptr);
        }
        for (int i = 0; i < 2000; ++i) {
            EXPECT_NE(allocate(16), nullptr);
        }
    }
    EXPECT_EQ(heap.given_up(), 0U);
}

TEST_F(PlanHeapTest, RequestsWithoutAPlaceAndAFewMisfitsAreBorne) {
    std::vector<PlanBuilder::Slot> slots(4000, {formats::plan::no_slot, 1});
    for (size_t i = 0; i < slots.size(); i += 4) {
        slots[i].start = static_cast<uint32_t>(i);
    }
    open(slots);
    int matched = 0;
    for (size_t i = 0; i < slots.size(); ++i) {
        matched += allocate(i % 8 == 0 ? 100 : 16) != nullptr;
    }
    EXPECT_EQ(matched, 875) << "the 500 of another size leave their slots to the others";
    EXPECT_EQ(heap.given_up(), 0u);
}

TEST_F(PlanHeapTest, NoBytesNeedOneGranule) {
    open({{3, 1}});
    EXPECT_EQ(allocate(0), place(3));
}

TEST_F(PlanHeapTest, AlignmentIsThatOfTheAddress) {
    open({{4, 4}, {5, 4}, {256, 1}});
    EXPECT_EQ(allocate(64, 64), place(4));
    EXPECT_EQ(allocate(64, 64), nullptr);
    EXPECT_EQ(allocate(8, 4096), place(256));
}

TEST_F(PlanHeapTest, SlotsAreUsedAgainOnceFree) {
    open({{0, 4}, {2, 4}, {2, 4}});
    void* first = allocate(64);
    EXPECT_EQ(first, place(0));
    EXPECT_EQ(allocate(64), nullptr);
    heap.deallocate(first);
    EXPECT_EQ(allocate(64), place(2));
}

TEST_F(PlanHeapTest, SlotsOutsideTheArenaAreRefused) {
    open({{0xffffffff, 1}, {65535, 2}, {0xfffffffe, 0xffffffff}, {0, 0}, {0, 0xffffffff}, {65535, 1}},
         1 << 20);
    for (unsigned i = 0; i < 5; ++i) {
        heap.assign(requester, i, 1);
        EXPECT_EQ(allocate(i < 2 ? 16 * (i + 1) : i == 3 ? 0 : (size_t{0xffffffff} << 4)), nullptr) << i;
    }
    heap.assign(requester, 5, 1);
    EXPECT_EQ(allocate(1), place(65535));
}

TEST_F(PlanHeapTest, ReallocStaysWhereItsNextSlotBegins) {
    open({{0, 1}, {0, 3}, {0, 100}, {0, 2}});
    void* object = allocate(16);
    EXPECT_TRUE(heap.resize(object, {40, 0, &requester}));
    EXPECT_EQ(heap.usable_size(object), 48u);
    EXPECT_TRUE(heap.resize(object, {1600, 0, &requester}));
    EXPECT_EQ(heap.usable_size(object), 1600u);
    EXPECT_TRUE(heap.resize(object, {20, 0, &requester}));
    EXPECT_EQ(heap.usable_size(object), 32u);
    heap.deallocate(object);
    heap.assign(requester, 2, 1);
    EXPECT_EQ(allocate(1600), place(0)) << "all granules are free again";
}

TEST_F(PlanHeapTest, ReallocWithoutASlotStaysWhereItFits) {
    open({{0, 4}});
    void* object = allocate(64);
    EXPECT_TRUE(heap.resize(object, {50, 0, &requester}));
    EXPECT_TRUE(heap.resize(object, {32, 0, &requester}));
    EXPECT_FALSE(heap.resize(object, {16, 0, &requester})) << "most of the room would be wasted";
    EXPECT_FALSE(heap.resize(object, {65, 0, &requester}));
}

// Pages of so many bytes from an address that are in memory.
size_t resident_pages(void* begin, size_t bytes) {
    std::vector<unsigned char> states(bytes / platform::page_bytes());
    EXPECT_EQ(mincore(begin, bytes, states.data()), 0);
    return static_cast<size_t>(
        std::count_if(states.begin(), states.end(), [](unsigned char state) { return (state & 1) != 0; }));
}

// Larger ones get huge pages as they are reached.
TEST_F(PlanHeapTest, PreallocationMakesASmallArenaResident) {
    constexpr size_t arena_bytes = 1 << 20;
    open({{0, 1}}, arena_bytes);
    EXPECT_EQ(resident_pages(arena, arena_bytes), 0u);
    heap.preallocate();
    EXPECT_EQ(resident_pages(arena, arena_bytes), arena_bytes / platform::page_bytes());
    heap.deallocate(allocate(16));
}

using PlanHeapDeathTest = PlanHeapTest;

TEST_F(PlanHeapDeathTest, WrongPointersAbortLikeTheCLibrary) {
    open({{0, 4}, {60, 100}});
    auto* small = static_cast<char*>(allocate(64));
    auto* large = static_cast<char*>(allocate(1600));
    EXPECT_DEATH(heap.deallocate(small + 16), "free\\(\\): invalid pointer");
    EXPECT_DEATH(heap.deallocate(small + 8), "free\\(\\): invalid pointer");
    EXPECT_DEATH(heap.deallocate(large + 160), "free\\(\\): invalid pointer");
    EXPECT_DEATH(heap.deallocate(place(64)), "free\\(\\): invalid pointer") << "interior, first of its word";
    heap.deallocate(small);
    EXPECT_DEATH(heap.deallocate(small), "double free or invalid pointer");
    heap.deallocate(large);
    EXPECT_DEATH(heap.deallocate(large), "double free or invalid pointer");
}

// A seeded fault: the heap gives the pages back that a requester has passed.
TEST_F(PlanHeapTest, RequesterOutsideItsSlotsIsAFault) {
    open({{10, 1}, {4, 2}});
    const uint64_t elsewhere = requester.end + 4096;
    EXPECT_DEATH(
        {
            requester.next = elsewhere;
            requester.end = elsewhere + 4096;
            requester.first = requester.end;
            allocate(16);
        },
        "malloom: fault of malloom's own: plan_heap.cpp:.*is_valid.requester");
}

}  // namespace
}  // namespace malloom::tests
