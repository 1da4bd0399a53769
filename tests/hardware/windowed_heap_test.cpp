// The page heap behind the simulated window unit: objects do not overlap, come back, and wrong frees are
// told.
#include "runtime/heaps/pages/windowed_heap.h"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <map>
#include <random>
#include <vector>

#include <Vwindow_unit.h>
#include <verilated.h>

namespace malloom::heaps::pages {
namespace {

/// One unit, reset by each test; a request a cycle.
class SimulatedWindows {
  public:
    template <WindowRequest request>
    static uintptr_t ask(uintptr_t first, uint32_t second) {
        Vwindow_unit& model = unit();
        model.response_ready_i = 1;
        model.request_valid_i = 1;
        model.opcode_i = static_cast<uint8_t>(request);
        model.first_i = static_cast<uint32_t>(first);
        model.second_i = second;
        step(model);
        model.request_valid_i = 0;
        return model.response_o;
    }

    static void reset() {
        unit().reset_i = 1;
        step(unit());
        unit().reset_i = 0;
    }

  private:
    static Vwindow_unit& unit() {
        static VerilatedContext context;
        static Vwindow_unit the_unit(&context);
        return the_unit;
    }
    static void step(Vwindow_unit& model) {
        model.clk_i = 1;
        model.eval();
        model.clk_i = 0;
        model.eval();
    }
};

class WindowedHeapTest : public testing::Test {
  protected:
    using Memory = structures::SearchInMemory<structures::CountingSearch<structures::BuiltInZeros>>;

    /// At addresses of 32 bits, as the unit has them.
    WindowedHeapTest()
        : memory_(
              mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0)) {
        SimulatedWindows::reset();
        region = heap.add_region(memory_, bytes);
    }
    ~WindowedHeapTest() override { munmap(memory_, bytes); }

    char* allocate(size_t wanted) {
        return static_cast<char*>(
            heap.allocate(wanted, [this](size_t size) { return heap.allocate_slow(size); }));
    }
    /// What the heap says of it; nothing where it takes the object back.
    std::vector<Wrong> release(void* object) {
        std::vector<Wrong> told;
        heap.release(*region, object, [&](Wrong wrong, const void*) { told.push_back(wrong); });
        return told;
    }

    static constexpr size_t bytes = 16 << 20;
    WindowedHeap<PageHeap<Memory>, SimulatedWindows> heap;
    Region* region = nullptr;

  private:
    void* memory_;
};

TEST_F(WindowedHeapTest, ObjectsDoNotOverlapAndComeBack) {
    std::mt19937 numbers(1);
    std::map<char*, size_t> objects;
    for (unsigned round = 0; round < 40'000; ++round) {
        if (numbers() % 8 < (round < 20'000 ? 5 : 3) || objects.empty()) {
            const size_t wanted = numbers() % (size_t{16} << numbers() % 9);
            char* const object = allocate(wanted);
            ASSERT_NE(object, nullptr);
            const auto after = objects.lower_bound(object);
            if (after != objects.end()) {
                ASSERT_LE(object + wanted, after->first);
            }
            if (after != objects.begin()) {
                ASSERT_LE(std::prev(after)->first + std::prev(after)->second, object);
            }
            ASSERT_GE(heap.usable_size(*region, object), wanted);
            objects.emplace(object, std::max<size_t>(wanted, 1));
        } else {
            const auto chosen = std::next(objects.begin(), numbers() % std::min<size_t>(objects.size(), 50));
            ASSERT_TRUE(release(chosen->first).empty());
            objects.erase(chosen);
        }
        if (round % 5'000 == 0) {
            ASSERT_TRUE(heap.is_valid());
        }
    }
    for (const auto& [object, size] : objects) ASSERT_TRUE(release(object).empty());
    EXPECT_TRUE(heap.is_valid());
}

TEST_F(WindowedHeapTest, WrongFreesAreTold) {
    for (const size_t size : {1, 40, 200, 1000, 2000}) {
        char* const object = allocate(size);
        EXPECT_EQ(release(object + 8), std::vector{Wrong::foreign});
        EXPECT_TRUE(release(object).empty());
        EXPECT_EQ(release(object), std::vector{Wrong::freed_before});
    }
    char* const small = allocate(16);
    char* const page = small - reinterpret_cast<uintptr_t>(small) % 4096;
    EXPECT_EQ(release(page), std::vector{Wrong::foreign}) << "the page's head";
    EXPECT_TRUE(heap.is_valid());
}

TEST_F(WindowedHeapTest, WhatLeftTheWindowIsReleasedByTheHeap) {
    std::vector<char*> objects;
    for (unsigned number = 0; number < 1000; ++number) objects.push_back(allocate(24));
    for (char* object : objects) {
        EXPECT_TRUE(release(object).empty());
        EXPECT_EQ(release(object), std::vector{Wrong::freed_before});
    }
    EXPECT_TRUE(heap.is_valid());
}

TEST_F(WindowedHeapTest, LowestChunkComesFirst) {
    char* const first = allocate(32);
    char* const second = allocate(32);
    EXPECT_EQ(second, first + 32);
    EXPECT_TRUE(release(first).empty());
    EXPECT_EQ(allocate(32), first);
}

}  // namespace
}  // namespace malloom::heaps::pages
