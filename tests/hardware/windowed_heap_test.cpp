// The page heap behind the simulated window unit: objects do not overlap, come back, and wrong frees are
// told.
#include "runtime/heaps/pages/windowed_heap.h"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <map>
#include <random>
#include <set>
#include <type_traits>
#include <vector>

#include <Vtwo_way_window_unit.h>
#include <Vwindow_unit.h>
#include <verilated.h>

namespace malloom::heaps::pages {
namespace {

/// A unit, reset by each test. Answers are taken as soon as they are there.
template <class Model>
class SimulatedWindows {
  public:
    template <WindowRequest request>
    static uint32_t ask(uintptr_t first, uint32_t second = 0) {
        Model& model = unit();
        model.response_ready_i = 1;
        model.request_valid_i = 1;
        model.opcode_i = static_cast<uint8_t>(request);
        model.first_i = static_cast<uint32_t>(first);
        model.second_i = second;
        while (!model.request_ready_o) step(model);
        step(model);
        model.request_valid_i = 0;
        while (!model.response_valid_o) step(model);
        model.eval();
        return model.response_o;
    }

    static void reset() {
        unit().reset_i = 1;
        step(unit());
        unit().reset_i = 0;
        unit().eval();
    }

  private:
    static Model& unit() {
        static VerilatedContext context;
        static Model the_unit(&context);
        return the_unit;
    }
    static void step(Model& model) {
        model.clk_i = 1;
        model.eval();
        model.clk_i = 0;
        model.eval();
    }
};

template <class Model>
class WindowedHeapTest : public testing::Test {
  protected:
    using Unit = SimulatedWindows<Model>;

    /// At addresses of 32 bits, as the unit has them.
    WindowedHeapTest()
        : memory_(
              mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0)) {
        Unit::reset();
        region = heap.add_region(memory_, bytes);
        own_pages = pages_in_use();
    }
    ~WindowedHeapTest() override { munmap(memory_, bytes); }

    char* allocate(size_t wanted) { return static_cast<char*>(heap.allocate(wanted)); }
    /// What the heap says of it; nothing where it takes the object back.
    std::vector<Wrong> release(void* object) {
        std::vector<Wrong> told;
        heap.release(*region, object, [&](Wrong wrong, const void*) { told.push_back(wrong); });
        return told;
    }

    /// The same of an object that stays.
    std::vector<Wrong> wrong_with(const void* object) {
        std::vector<Wrong> told;
        const bool is_living =
            heap.is_living(*region, object, [&](Wrong wrong, const void*) { told.push_back(wrong); });
        EXPECT_EQ(is_living, told.empty());
        return told;
    }

    /// Those of the directory and of windows as well.
    size_t pages_in_use() const { return region->first + region->taken; }

    static constexpr size_t bytes = 16 << 20;
    static constexpr size_t most_empty_pages = Geometry<4096, 16>::classes;
    WindowedHeap<Unit> heap;
    Region* region = nullptr;
    size_t own_pages = 0;

  private:
    void* memory_;
};

using Models = testing::Types<Vwindow_unit, Vtwo_way_window_unit>;
TYPED_TEST_SUITE(WindowedHeapTest, Models);

TYPED_TEST(WindowedHeapTest, ObjectsDoNotOverlapAndComeBack) {
    std::mt19937 numbers(1);
    std::map<char*, size_t> objects;
    for (unsigned round = 0; round < 40'000; ++round) {
        if (numbers() % 8 < (round < 20'000 ? 5 : 3) || objects.empty()) {
            const size_t wanted = numbers() % (size_t{16} << numbers() % 9);
            char* const object = this->allocate(wanted);
            ASSERT_NE(object, nullptr);
            const auto after = objects.lower_bound(object);
            if (after != objects.end()) {
                ASSERT_LE(object + wanted, after->first);
            }
            if (after != objects.begin()) {
                ASSERT_LE(std::prev(after)->first + std::prev(after)->second, object);
            }
            ASSERT_GE(this->heap.usable_size(*this->region, object), wanted);
            objects.emplace(object, std::max<size_t>(wanted, 1));
        } else {
            const auto chosen = std::next(objects.begin(), numbers() % std::min<size_t>(objects.size(), 50));
            ASSERT_TRUE(this->release(chosen->first).empty());
            objects.erase(chosen);
        }
        if (round % 5'000 == 0) {
            ASSERT_TRUE(this->heap.is_valid());
        }
    }
    for (const auto& [object, size] : objects) ASSERT_TRUE(this->release(object).empty());
    EXPECT_TRUE(this->heap.is_valid());
    EXPECT_LE(this->pages_in_use(), this->own_pages + this->most_empty_pages);
}

TYPED_TEST(WindowedHeapTest, WrongFreesAreTold) {
    for (const size_t size : {1, 40, 200, 1000, 2000}) {
        for (const bool is_in_window : {true, false}) {
            char* const object = this->allocate(size);
            if (!is_in_window) {
                this->heap.take_windows_back();
            }
            EXPECT_EQ(this->release(object + 8), std::vector{Wrong::foreign});
            EXPECT_TRUE(this->release(object).empty());
            EXPECT_EQ(this->release(object), std::vector{Wrong::freed_before});
        }
    }
    char* const large = this->allocate(9000);
    EXPECT_EQ(this->release(large + 4096), std::vector{Wrong::foreign});
    EXPECT_TRUE(this->release(large).empty());
    EXPECT_EQ(this->release(large), std::vector{Wrong::freed_before});
    EXPECT_EQ(this->release(this->region), std::vector{Wrong::foreign}) << "the heap's own memory";
    EXPECT_TRUE(this->heap.is_valid());
}

TYPED_TEST(WindowedHeapTest, WhatStaysIsJudgedAndTheUnitKeepsItsChunks) {
    for (const size_t size : {1, 40, 200, 1000, 2000, 9000}) {
        char* const living = this->allocate(size);
        char* const freed = this->allocate(size);
        EXPECT_TRUE(this->release(freed).empty());
        for (int round = 0; round < 3; ++round) {
            EXPECT_TRUE(this->wrong_with(living).empty());
            EXPECT_EQ(this->wrong_with(living + 8), std::vector{Wrong::foreign});
            EXPECT_EQ(this->wrong_with(freed), std::vector{Wrong::freed_before});
        }
        char* const again = this->allocate(size);
        if (std::is_same_v<TypeParam, Vwindow_unit>) {
            EXPECT_EQ(again, freed) << "the unit has the window as before";
        }
        this->heap.take_windows_back();
        EXPECT_TRUE(this->wrong_with(living).empty());
        EXPECT_TRUE(this->release(again).empty());
        EXPECT_EQ(this->wrong_with(again), std::vector{Wrong::freed_before});
    }
    EXPECT_TRUE(this->heap.is_valid());
}

TYPED_TEST(WindowedHeapTest, WhatIsJudgedWhileTwoWindowsHaveChunksIsNotLost) {
    std::vector<char*> objects;
    for (unsigned number = 0; number < 256; ++number) objects.push_back(this->allocate(16));
    for (char* object : objects) EXPECT_TRUE(this->release(object).empty());
    const size_t pages = this->pages_in_use();
    for (unsigned number = 0; number < 256; ++number) {
        objects[number] = this->allocate(16);
        EXPECT_TRUE(this->wrong_with(objects[number]).empty());
        EXPECT_TRUE(this->wrong_with(objects[number / 2]).empty());
        if (number % 3 == 0) {
            EXPECT_TRUE(this->release(objects[number]).empty());
            objects[number] = this->allocate(16);
        }
    }
    EXPECT_EQ(std::set<char*>(objects.begin(), objects.end()).size(), objects.size());
    EXPECT_EQ(this->pages_in_use(), pages);
    EXPECT_TRUE(this->heap.is_valid());
}

TYPED_TEST(WindowedHeapTest, WhatLeftTheWindowIsReleasedByTheHeap) {
    std::vector<char*> objects;
    for (unsigned number = 0; number < 1000; ++number) objects.push_back(this->allocate(24));
    for (char* object : objects) {
        EXPECT_TRUE(this->release(object).empty());
        EXPECT_EQ(this->release(object), std::vector{Wrong::freed_before});
    }
    EXPECT_TRUE(this->heap.is_valid());
}

TYPED_TEST(WindowedHeapTest, LowestChunkComesFirst) {
    char* const first = this->allocate(32);
    char* const second = this->allocate(32);
    EXPECT_EQ(second, first + 32);
    EXPECT_TRUE(this->release(first).empty());
    EXPECT_EQ(this->allocate(32), first);
}

TYPED_TEST(WindowedHeapTest, WhatIsTakenBackIsNotLost) {
    constexpr unsigned of_page = 128;
    std::vector<char*> objects;
    for (unsigned number = 0; number < of_page; ++number) {
        objects.push_back(this->allocate(32));
        this->heap.take_windows_back();
        EXPECT_EQ(this->heap.give(objects.back()), GiveAnswer::elsewhere);
    }
    EXPECT_EQ(this->pages_in_use(), this->own_pages + 1) << "nothing of the page was lost";
    for (char* object : objects) EXPECT_TRUE(this->release(object).empty());
    EXPECT_TRUE(this->heap.is_valid());
}

TYPED_TEST(WindowedHeapTest, AStateComesBackAsItWas) {
    std::vector<char*> objects;
    for (const size_t size : {1, 40, 200, 1000, 2000, 40, 1}) objects.push_back(this->allocate(size));
    typename decltype(this->heap)::UnitState state = {};
    state.save();
    EXPECT_EQ(this->heap.give(objects[1]), GiveAnswer::elsewhere);
    state.restore();
    EXPECT_EQ(this->heap.give(objects[1]), GiveAnswer::given);
    EXPECT_EQ(this->allocate(40), objects[1]) << "the lowest is the lowest again";
    EXPECT_EQ(this->allocate(1), objects[6] + 16);
    EXPECT_TRUE(this->heap.is_valid());
}

TYPED_TEST(WindowedHeapTest, AlignedObjectsAreChunksOrRuns) {
    for (size_t alignment = 16; alignment <= size_t{1} << 16; alignment *= 2) {
        for (const size_t size : {1, 300, 9000}) {
            void* const object = this->heap.allocate_aligned(alignment, size);
            ASSERT_NE(object, nullptr);
            EXPECT_EQ(reinterpret_cast<uintptr_t>(object) % alignment, 0u);
            EXPECT_GE(this->heap.usable_size(*this->region, object), size);
            EXPECT_TRUE(this->release(object).empty());
        }
    }
    EXPECT_TRUE(this->heap.is_valid());
}

TYPED_TEST(WindowedHeapTest, WhatIsTooLargeIsRefused) {
    EXPECT_EQ(this->allocate(this->bytes), nullptr);
    EXPECT_EQ(this->allocate(0x80000003), nullptr) << "no class, though it is near the answer of one";
    EXPECT_EQ(this->allocate(0xffffffff), nullptr);
    EXPECT_NE(this->allocate(2049), nullptr);
}

TYPED_TEST(WindowedHeapTest, MemoryEndsWithNullAndComesBack) {
    std::vector<char*> objects;
    while (char* const object = this->allocate(2048)) objects.push_back(object);
    EXPECT_EQ(objects.size(), 2 * (this->region->pages - this->own_pages));
    EXPECT_EQ(this->allocate(16), nullptr);
    for (char* object : objects) EXPECT_TRUE(this->release(object).empty());
    EXPECT_NE(this->allocate(16), nullptr);
    EXPECT_TRUE(this->heap.is_valid());
}

TYPED_TEST(WindowedHeapTest, EmptyPagesThatWereKeptGoBack) {
    std::vector<char*> objects;
    for (const size_t size : {16, 100, 2000, 40, 40, 300}) objects.push_back(this->allocate(size));
    char* const living = this->allocate(16);
    for (char* object : objects) EXPECT_TRUE(this->release(object).empty());
    EXPECT_EQ(this->pages_in_use(), this->own_pages + 5);
    this->heap.give_back_empty();
    EXPECT_EQ(this->pages_in_use(), this->own_pages + 1);
    EXPECT_TRUE(this->wrong_with(living).empty());
    EXPECT_TRUE(this->heap.is_valid());
    EXPECT_NE(this->allocate(2000), nullptr);
}

TYPED_TEST(WindowedHeapTest, MemoryAboveHalfOfAllAddressesIsRefused) {
    EXPECT_EQ(this->heap.add_region(reinterpret_cast<void*>(uintptr_t{0x7ffff000}), 0x2000), nullptr);
    const uintptr_t last_page = 0 - uintptr_t{0x1000};
    EXPECT_EQ(this->heap.add_region(reinterpret_cast<void*>(last_page), 0x2000), nullptr)
        << "its end is a small number";
}

}  // namespace
}  // namespace malloom::heaps::pages
