// Layouts of random structures keep the rules that compiled code relies on, and each rule is noticed to be
// broken. What a layout must be is worked out here from what it says of its places, not by its own rules.
#include "compiler/layout/split_layout.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <numeric>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/amount.h"

namespace malloom::compiler {

/// Breaks one thing in a layout, as an error of the compiler would.
struct SeededFaults {
    static void move_array(SplitLayout& layout, unsigned part, int64_t bytes) {
        layout.parts_[part].begin += static_cast<uint64_t>(bytes);
    }
    static void lengthen_elements(SplitLayout& layout, unsigned part, uint64_t bytes) {
        layout.parts_[part].element_bytes += bytes;
    }
    static void add_objects(SplitLayout& layout, uint64_t objects) { layout.capacity_ += objects; }
    static void move_field(SplitLayout& layout, size_t field, int64_t bytes) {
        layout.places_[field].within += static_cast<uint64_t>(bytes);
    }
    static void lose_field(SplitLayout& layout, unsigned part) { layout.parts_[part].members.pop_back(); }
    static void count_twice(SplitLayout& layout, unsigned part) {
        layout.parts_[part].members.push_back(layout.parts_[part].members.front());
    }
    static void lengthen_objects(SplitLayout& layout, uint64_t bytes) { layout.whole_bytes_ += bytes; }
};

namespace {

constexpr uint64_t largest_pool = uint64_t{1} << 20;

struct Structure {
    std::vector<Field> fields;
    uint64_t bytes = 0;
};

using Random = std::mt19937;

uint64_t below(Random& random, uint64_t count) {
    return std::uniform_int_distribution<uint64_t>(0, count - 1)(random);
}

Structure structure_of(const std::vector<uint64_t>& lengths) {
    Structure made;
    for (const uint64_t bytes : lengths) {
        made.fields.push_back({made.bytes, bytes});
        made.bytes += bytes;
    }
    return made;
}

/// Of 1 to 64 fields, packed or with gaps: what no access reaches.
Structure any_structure(Random& random) {
    constexpr uint64_t lengths[] = {1, 2, 4, 8, 8, 8, 16, 3, 5, 12, 24, 40, 100, 500};
    const bool is_packed = below(random, 4) == 0;
    Structure made;
    const uint64_t count = 1 + below(random, 64);
    for (uint64_t i = 0; i < count; ++i) {
        const uint64_t bytes = lengths[below(random, std::size(lengths))];
        if (!is_packed) {
            const uint64_t alignment = std::min<uint64_t>(16, bytes & -bytes);
            made.bytes = (made.bytes + alignment - 1) / alignment * alignment;
        }
        made.fields.push_back({made.bytes, bytes});
        made.bytes += bytes + (below(random, 5) == 0 ? below(random, 60) : 0);
    }
    return made;
}

/// Each apart in any order, all together, or in so many parts as chance wants.
Parts any_parts(Random& random, size_t fields) {
    std::vector<unsigned> order(fields);
    std::iota(order.begin(), order.end(), 0U);
    if (below(random, 2) == 0) {
        std::ranges::shuffle(order, random);
    }
    const uint64_t way = below(random, 4);
    const uint64_t count = way == 0 ? fields : way == 1 ? 1 : 1 + below(random, fields);
    Parts parts(count);
    for (size_t i = 0; i < fields; ++i) {
        parts[i < count ? i : below(random, count)].push_back(order[i]);
    }
    return parts;
}

uint64_t natural_alignment(const Field& field, uint64_t structure_bytes) {
    const uint64_t of_all = 16 | field.offset | structure_bytes;
    return std::min(of_all & -of_all, std::bit_ceil(field.bytes));
}

/// Fields of one part do not share bytes of its element, and each lies in it in its order.
void expect_good_elements(const SplitLayout& layout) {
    std::vector<std::vector<bool>> taken(layout.parts());
    for (unsigned part = 0; part < layout.parts(); ++part) {
        taken[part].resize(layout.element_bytes(part));
    }
    for (const Field& field : layout.fields()) {
        const Place begin = layout.place_of(field.offset);
        for (uint64_t byte = 0; byte < field.bytes; ++byte) {
            ASSERT_EQ(layout.place_of(field.offset + byte), (Place{begin.part, begin.within + byte}));
            ASSERT_LT(begin.within + byte, layout.element_bytes(begin.part));
            ASSERT_FALSE(taken[begin.part][begin.within + byte]);
            taken[begin.part][begin.within + byte] = true;
        }
    }
}

/// Every field of every object is aligned as in the structure where its address is.
void expect_alignment(const SplitLayout& layout) {
    for (const Field& field : layout.fields()) {
        const Place place = layout.place_of(field.offset);
        const uint64_t alignment = natural_alignment(field, layout.structure_bytes());
        EXPECT_GE(layout.alignment_of(place), alignment);
        for (uint64_t object = 0; object < 17; ++object) {
            const uint64_t address =
                layout.begin(place.part) + object * layout.element_bytes(place.part) + place.within;
            EXPECT_EQ(address % alignment, 0);
            EXPECT_EQ(address % layout.alignment_of(place), 0);
        }
    }
}

/// Arrays lie behind each other in the pool, the first where it begins, and for as many objects as the run
/// time counts; and a pointer to any byte of an object from its address on stays in the pool.
void expect_arrays_in_pool(const SplitLayout& layout, uint64_t whole_bytes) {
    EXPECT_EQ(layout.capacity(), layout.pool_bytes() / layout.object_bytes());
    EXPECT_GE(layout.object_bytes(), 16);
    EXPECT_GE(layout.object_bytes(), layout.element_bytes(0));
    uint64_t end = 0;
    for (unsigned part = 0; part < layout.parts(); ++part) {
        EXPECT_GE(layout.begin(part), end);
        end = layout.begin(part) + layout.capacity() * layout.element_bytes(part);
        EXPECT_EQ(layout.end(part), end);
    }
    EXPECT_EQ(layout.begin(0), 0);
    EXPECT_LE(end, layout.pool_bytes());
    if (layout.parts() > 1) {
        EXPECT_LE((layout.capacity() - 1) * layout.element_bytes(0) + whole_bytes, layout.pool_bytes());
    }
}

/// What is left between arrays, and before the end, at most: an array looks through one page.
uint64_t most_left(size_t parts, uint64_t whole_bytes) {
    return std::max(parts * 4096, whole_bytes);
}

/// No more is left than has to be: pools hold as many objects as are promised.
void expect_many_objects(const SplitLayout& layout, uint64_t whole_bytes) {
    uint64_t object = 0;
    for (unsigned part = 0; part < layout.parts(); ++part) {
        object += layout.element_bytes(part);
    }
    const uint64_t left = most_left(layout.parts(), whole_bytes);
    const uint64_t fit = left < layout.pool_bytes() ? (layout.pool_bytes() - left) / object : 0;
    if (fit != 0) {
        const uint64_t counted = std::max<uint64_t>(16, (layout.pool_bytes() + fit - 1) / fit);
        EXPECT_GE(layout.capacity(), layout.pool_bytes() / counted);
    }
}

/// Arrays begin in different lines of a page as long as it has enough, few arrays three lines apart.
void expect_distances(const SplitLayout& layout) {
    const uint64_t apart = layout.parts() <= 13 ? 192 : layout.parts() <= 22 ? 128 : 64;
    for (unsigned one = 0; layout.parts() <= 64 && one < layout.parts(); ++one) {
        for (unsigned other = 0; other < one; ++other) {
            const uint64_t distance = (layout.begin(one) - layout.begin(other)) % 4096;
            EXPECT_GE(std::min(distance, 4096 - distance), apart);
        }
    }
}

void expect_good_layout(const SplitLayout& layout, uint64_t whole_bytes) {
    EXPECT_STREQ(layout.broken_rule(), nullptr);
    expect_good_elements(layout);
    expect_alignment(layout);
    expect_arrays_in_pool(layout, whole_bytes);
    expect_many_objects(layout, whole_bytes);
    expect_distances(layout);
}

/// Each field by itself, as the policy `maximal` has it.
Parts all_apart(size_t fields) {
    Parts parts;
    for (unsigned field = 0; field < fields; ++field) {
        parts.push_back({field});
    }
    return parts;
}

SplitLayout layout_of(const Structure& structure, const Parts& parts, uint64_t pool_bytes = largest_pool) {
    const auto made = SplitLayout::in_pools(structure.fields, parts, structure.bytes, pool_bytes);
    if (!made) {
        throw std::runtime_error("a pool has no room for an object");
    }
    return *made;
}

TEST(SplitLayout, RandomStructuresInPoolsOfAnySize) {
    Random random(1);
    const size_t structures = tests::amount(size_t{4000});
    size_t without_room = 0;
    for (size_t i = 0; i < structures && !HasFailure(); ++i) {
        const Structure structure = any_structure(random);
        const Parts parts = any_parts(random, structure.fields.size());
        const uint64_t pool_bytes = uint64_t{4096} << below(random, 9);
        const auto layout = SplitLayout::in_pools(structure.fields, parts, structure.bytes, pool_bytes);
        if (layout) {
            expect_good_layout(*layout, structure.bytes);
        } else {
            ++without_room;
            EXPECT_GT(structure.bytes + most_left(parts.size(), structure.bytes), pool_bytes);
        }
    }
    EXPECT_GT(without_room, 0);
    EXPECT_LT(without_room, structures / 4);
}

TEST(SplitLayout, EveryNumberOfArraysInTheLargestPools) {
    const size_t apart = tests::does_all() ? 31 : 217;
    for (size_t fields = 1; fields <= 512; fields += fields < 66 ? 1 : apart) {
        for (const uint64_t bytes : {1, 2, 4, 8, 16, 40}) {
            const Structure structure = structure_of(std::vector<uint64_t>(fields, bytes));
            expect_good_layout(layout_of(structure, all_apart(fields)), structure.bytes);
        }
    }
}

TEST(SplitLayout, RandomArraysOfStructures) {
    Random random(2);
    for (int i = 0; i < tests::amount(2000) && !HasFailure(); ++i) {
        const Structure structure = any_structure(random);
        const Parts parts = any_parts(random, structure.fields.size());
        const auto layout = SplitLayout::of_arrays(structure.fields, parts, structure.bytes);
        EXPECT_STREQ(layout.broken_rule(), nullptr);
        expect_good_elements(layout);
        expect_alignment(layout);
        for (int64_t offset = -3 * static_cast<int64_t>(structure.bytes); offset < 200; offset += 7) {
            const auto bytes = static_cast<int64_t>(structure.bytes);
            EXPECT_EQ(layout.structure_of(offset) * bytes + layout.within(offset), offset);
            EXPECT_GE(layout.within(offset), 0);
            EXPECT_LT(layout.within(offset), bytes);
        }
    }
}

// The run time would take its objects for smaller than their first part.
TEST(SplitLayout, ObjectsThatAreNearlyTheirFirstPart) {
    expect_good_layout(layout_of(structure_of({30000, 8}), {{0}, {1}}), 30008);
    expect_good_layout(layout_of(structure_of({30000}), {{0}}), 30000);
}

TEST(SplitLayout, PoolsHaveNoRoomForObjectsAsLargeAsThey) {
    const Structure large = structure_of({4000, 8, 88});
    EXPECT_FALSE(SplitLayout::in_pools(large.fields, all_apart(3), large.bytes, 4096));
    EXPECT_TRUE(SplitLayout::in_pools(large.fields, all_apart(3), large.bytes, 16384));
    const Structure many = structure_of(std::vector<uint64_t>(65, 1));
    EXPECT_FALSE(SplitLayout::in_pools(many.fields, all_apart(65), many.bytes, 4096));
    EXPECT_TRUE(SplitLayout::in_pools(many.fields, all_apart(65), many.bytes, 8192));
}

TEST(SplitLayout, SaysWhichRuleIsBroken) {
    const SplitLayout good = layout_of(structure_of({8, 8, 4, 4, 1, 1}), {{0, 1}, {2, 3}, {4, 5}});
    const auto broken_by = [&](auto fault) {
        SplitLayout layout = good;
        fault(layout);
        const char* rule = layout.broken_rule();
        return std::string(rule != nullptr ? rule : "none");
    };
    const auto has_rule = [](const std::string& said, const char* part) {
        return said.find(part) != std::string::npos;
    };
    using Faults = SeededFaults;
    EXPECT_PRED2(has_rule, broken_by([](auto& l) { Faults::move_array(l, 2, largest_pool / 4 * 3); }),
                 "each array lies in its pool");
    EXPECT_PRED2(has_rule, broken_by([](auto& l) { Faults::move_array(l, 0, 4); }), "behind the array");
    EXPECT_PRED2(has_rule, broken_by([](auto& l) { Faults::move_array(l, 1, -8192); }), "behind the array");
    EXPECT_PRED2(has_rule, broken_by([](auto& l) { Faults::move_array(l, 2, 8); }), "behind the array");
    EXPECT_PRED2(has_rule, broken_by([](auto& l) { Faults::lengthen_elements(l, 0, 16); }),
                 "behind the array");
    EXPECT_PRED2(has_rule, broken_by([](auto& l) { Faults::add_objects(l, 1); }), "behind the array");
    EXPECT_PRED2(has_rule, broken_by([](auto& l) { Faults::add_objects(l, uint64_t(0) - 1); }), "counts");
    EXPECT_PRED2(has_rule, broken_by([](auto& l) { Faults::move_field(l, 1, -8); }), "behind each other");
    EXPECT_PRED2(has_rule, broken_by([](auto& l) { Faults::move_field(l, 1, 8); }), "behind each other");
    EXPECT_PRED2(has_rule, broken_by([](auto& l) { Faults::move_field(l, 3, 1); }), "behind each other");
    EXPECT_PRED2(has_rule, broken_by([](auto& l) { Faults::lose_field(l, 1); }), "in one array");
    EXPECT_PRED2(has_rule, broken_by([](auto& l) { Faults::count_twice(l, 1); }), "in one array");
    EXPECT_PRED2(has_rule, broken_by([](auto& l) { Faults::lengthen_objects(l, largest_pool); }),
                 "each array lies in its pool");
    EXPECT_EQ(broken_by([](auto&) {}), "none");
}

TEST(SplitLayout, SaysThatTheFirstArrayIsNotWhereThePoolBegins) {
    SplitLayout layout = layout_of(structure_of({24}), {{0}});
    SeededFaults::move_array(layout, 0, 64);
    EXPECT_STREQ(layout.broken_rule(), "the first array begins where its pool does");
}

TEST(SplitLayout, HasNoMoreArraysThanTheRunTimeTakes) {
    const Structure structure = structure_of(std::vector<uint64_t>(513, 1));
    const auto layout = SplitLayout::of_arrays(structure.fields, all_apart(513), structure.bytes);
    EXPECT_STREQ(layout.broken_rule(), "there is an array, and not more of them than the run time takes");
}

// A seeded fault: an access between two fields, which the analysis would have told as a field.
TEST(SplitLayoutDeathTest, WhatIsNoFieldHasNoPlace) {
    const SplitLayout layout = layout_of({{{0, 8}, {16, 8}}, 24}, {{0}, {1}});
    EXPECT_DEATH(layout.place_of(12), "malloom: fault of malloom's own: split_layout.cpp:.*field != nullptr");
}

}  // namespace

}  // namespace malloom::compiler
