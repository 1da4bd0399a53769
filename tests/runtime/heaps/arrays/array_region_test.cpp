// Elements of one structure in a region: where their parts lie, and what memory they take.
#include "runtime/heaps/arrays/array_region.h"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <numeric>
#include <random>
#include <set>
#include <vector>

#include "runtime/platform/memory.h"
#include "tests/amount.h"
#include "tests/runtime/heaps/arrays/array_contents.h"

namespace malloom::tests {
namespace {

using heaps::ArrayRegion;
using heaps::ElementRuns;

/// A region that is open.
struct OpenRegion {
    explicit OpenRegion(const std::vector<unsigned>& element_bytes, size_t wanted = size_t{1} << 30)
        : places(element_bytes) {
        EXPECT_TRUE(region.open(shape(), places.begins.data(), wanted, 1));
    }
    ~OpenRegion() { region.close(); }
    OpenRegion(const OpenRegion&) = delete;
    OpenRegion& operator=(const OpenRegion&) = delete;

    heaps::ArrayShape shape() const {
        return {static_cast<uint32_t>(places.begins.size()), places.structure_bytes(),
                places.element_bytes.data()};
    }
    void* take(size_t elements, bool zeroed = false) {
        ElementRuns::Taken taken = region.take_fast(elements);
        taken = taken.units != 0 ? taken : region.take(elements);
        EXPECT_NE(taken.units, 0U);
        if (zeroed) {
            region.zero(taken);
        }
        return region.address_of(taken);
    }
    void give(const void* first) {
        if (!region.give_fast(first)) {
            region.give(first);
        }
    }
    size_t resident_bytes() const {
        const size_t page = platform::page_bytes();
        size_t bytes = 0;
        for (size_t part = 0; part < places.begins.size(); ++part) {
            const uintptr_t begin = platform::round_down(places.begins[part], page);
            const uintptr_t end =
                platform::round_up(places.begins[part] + region.used() * places.element_bytes[part], page);
            std::vector<unsigned char> pages((end - begin) / page);
            EXPECT_EQ(mincore(reinterpret_cast<void*>(begin), end - begin, pages.data()), 0);
            for (const unsigned char each : pages) {
                bytes += (each & 1) * page;
            }
        }
        return bytes;
    }

    PartPlaces places;
    ArrayRegion region;
};

class ArrayRegionTest : public testing::TestWithParam<std::vector<unsigned>> {};

TEST_P(ArrayRegionTest, RandomArraysKeepTheirBytes) {
    OpenRegion open(GetParam());
    const PartPlaces& places = open.places;
    const size_t most = std::min<size_t>(2'000, 20 + 100'000 / places.structure_bytes());
    std::mt19937 random(11);
    std::vector<FilledArray> living;
    for (unsigned step = 0; step < (does_all() ? 1'500U : 400U); ++step) {
        if (random() % 5 < 2 && !living.empty()) {
            std::swap(living[random() % living.size()], living.back());
            ASSERT_TRUE(is_filled(places, living.back())) << step;
            open.give(living.back().first);
            living.pop_back();
            continue;
        }
        const size_t elements = random() % (random() % 4 == 0 ? most : 12) + 1;
        const bool zeroed = random() % 2 == 0;
        const FilledArray array = {open.take(elements, zeroed), elements, step};
        const uintptr_t from_begin = reinterpret_cast<uintptr_t>(array.first) - places.begins[0];
        ASSERT_EQ(from_begin % places.element_bytes[0], 0U);
        ASSERT_TRUE(!zeroed || is_zero(places, array)) << step;
        fill(places, array);
        living.push_back(array);
    }
    for (const FilledArray& array : living) {
        ASSERT_TRUE(is_filled(places, array));
        open.give(array.first);
    }
}

TEST_P(ArrayRegionTest, PartsBeginAtDifferentPlacesOfAPage) {
    const OpenRegion open(GetParam());
    std::set<uintptr_t> seen;
    for (size_t part = 0; part < std::min<size_t>(open.places.begins.size(), 64); ++part) {
        EXPECT_EQ(open.places.begins[part] % ArrayRegion::line_bytes, 0U);
        EXPECT_TRUE(seen.insert(open.places.begins[part] % 4096).second) << part;
    }
}

TEST_P(ArrayRegionTest, HoldsWhatWasInUse) {
    OpenRegion open(GetParam());
    const PartPlaces& places = open.places;
    EXPECT_FALSE(open.region.holds(reinterpret_cast<void*>(places.begins[0]), 1));
    void* first = open.take(100);
    for (size_t part = 0; part < places.begins.size(); ++part) {
        const unsigned bytes = places.element_bytes[part];
        EXPECT_TRUE(open.region.holds(places.place(first, part, 0), 100 * bytes));
        EXPECT_FALSE(open.region.holds(places.place(first, part, 0) - 1, 2));
        EXPECT_FALSE(open.region.holds(places.place(first, part, open.region.used()), 1));
        EXPECT_FALSE(open.region.holds(places.place(first, part, 0), 200 * bytes));
        EXPECT_TRUE(open.region.holds(places.place(first, part, 0), 1));
    }
    EXPECT_FALSE(open.region.holds(&open, 1));
}

TEST_P(ArrayRegionTest, MisuseEndsTheProgram) {
    OpenRegion open(GetParam());
    char* first = static_cast<char*>(open.take(1'000));
    open.take(1);
    EXPECT_DEATH(open.give(first + 1), "no object begins");
    EXPECT_DEATH(open.give(open.places.place(first, 0, 16)), "no object begins");
    EXPECT_DEATH(open.give(open.places.place(first, 0, 100'000)), "no object begins");
    EXPECT_DEATH(open.give(&open), "no object begins");
    open.give(first);
    EXPECT_DEATH(open.give(first), "freed before");
}

INSTANTIATE_TEST_SUITE_P(Shapes, ArrayRegionTest,
                         testing::Values(std::vector<unsigned>{8}, std::vector<unsigned>{8, 8, 8},
                                         std::vector<unsigned>{12, 4}, std::vector<unsigned>{24, 8, 1},
                                         std::vector<unsigned>{1, 2, 4}, std::vector<unsigned>{3, 5},
                                         std::vector<unsigned>{16, 64}, std::vector<unsigned>{4, 4096},
                                         std::vector<unsigned>(512, 8)));

TEST(ArrayRegion, FewerElementsWhereAddressesAreShort) {
    PartPlaces places({8, 56}), large({8, (1 << 20) - 8});
    const heaps::ArrayShape shape = {2, 64, places.element_bytes.data()};
    ArrayRegion region;
    ASSERT_TRUE(region.open({2, size_t{1} << 20, large.element_bytes.data()}, large.begins.data(),
                            size_t{1} << 52, 1'000));
    EXPECT_LT(region.room(), size_t{1} << 28) << "of 2^48 bytes, as processes have";
    EXPECT_GE(region.room(), size_t{1} << 20);
    EXPECT_EQ(region.take(region.room() + 1).units, 0U);
    region.close();
    EXPECT_FALSE(region.open(shape, places.begins.data(), 64, size_t{1} << 46));
    EXPECT_FALSE(region.open(shape, places.begins.data(), 64, SIZE_MAX));
    ASSERT_TRUE(region.open(shape, places.begins.data(), 64, 100'000)) << "as many as are needed";
    EXPECT_EQ(region.room(), 100'000U);
    EXPECT_NE(region.take(100'000).units, 0U);
    EXPECT_EQ(region.take(1).units, 0U);
    region.close();
}

TEST(ArrayRegion, ShapesThatCannotBeAreRefused) {
    uintptr_t begins[2];
    const unsigned lengths[] = {8, 0};
    ArrayRegion region;
    EXPECT_FALSE(region.open({0, 8, lengths}, begins, 4096, 1));
    EXPECT_FALSE(region.open({1, 0, lengths}, begins, 4096, 1));
    EXPECT_FALSE(region.open({2, 8, lengths}, begins, 4096, 1));
}

TEST(ArrayRegion, LargeArraysGoBackToTheSystem) {
    OpenRegion open({8, 24, 32});
    constexpr size_t elements = 250'000, bytes = elements * 64;
    void* small = open.take(10);
    void* large = open.take(elements);
    fill(open.places, {small, 10, 1});
    fill(open.places, {large, elements, 2});
    EXPECT_GE(open.resident_bytes(), bytes);
    open.give(large);
    EXPECT_LT(open.resident_bytes(), size_t{64} << 10);
    EXPECT_TRUE(is_filled(open.places, {small, 10, 1}));
    const FilledArray again = {open.take(elements, true), elements, 3};
    EXPECT_EQ(again.first, large);
    EXPECT_LT(open.resident_bytes(), size_t{64} << 10) << "what is zero already is not touched";
    EXPECT_TRUE(is_zero(open.places, again));
}

// What a program makes and gives back in a loop is not asked of the system each time.
TEST(ArrayRegion, AnArrayThatComesAgainStaysResident) {
    OpenRegion open({8, 24, 32});
    constexpr size_t elements = 50'000, bytes = elements * 64;
    for (int round = 0; round < 3; ++round) {
        void* array = open.take(elements);
        fill(open.places, {array, elements, 2});
        open.give(array);
    }
    EXPECT_GE(open.resident_bytes(), bytes);
}

// As a program grows, so do its arrays: what the old ones leave serves the next.
TEST(ArrayRegion, MemoryIsNearWhatTheArraysTake) {
    for (const size_t elements : {size_t{10}, size_t{1'000}, size_t{100'000}}) {
        OpenRegion open({8, 24, 32});
        const size_t arrays = (does_all() ? 2'000'000 : 400'000) / elements;
        std::vector<void*> all(arrays);
        for (void*& array : all) {
            array = open.take(elements);
            fill(open.places, {array, elements, 1});
        }
        for (size_t i = 0; i < arrays; i += 2) {
            open.give(all[i]);
            all[i] = open.take(elements);
            fill(open.places, {all[i], elements, 2});
        }
        EXPECT_LE(open.resident_bytes(), arrays * elements * 64 * 102 / 100) << elements;
    }
}

// Seeded faults: a part begins in another one.
TEST(ArrayRegionDeathTest, APartIsNotDiscardedBeyondItsEnd) {
    OpenRegion open({8, 24, 32});
    open.take(10);
    void* large = open.take(250'000);
    EXPECT_DEATH(
        {
            open.places.begins[1] -= 4096;
            open.give(large);
        },
        "malloom: fault of malloom's own: array_region.cpp:.*has_room.part");
}

#if defined(MALLOOM_CHECKED)
TEST(ArrayRegionDeathTest, PartsThatOverlapGetNoMemory) {
    OpenRegion open({8, 24, 32});
    open.take(10);
    EXPECT_TRUE(open.region.is_valid());
    EXPECT_DEATH(
        {
            open.places.begins[1] += 4096;
            open.take(250'000);
        },
        "array_region.cpp:.*is_valid");
}
#endif

}  // namespace
}  // namespace malloom::tests
