#include "runtime/heaps/plan_file.h"

#include <gtest/gtest.h>

#include <functional>

#include "tests/runtime/heaps/plan_builder.h"

namespace malloom::tests {
namespace {

PlanBuilder small_plan() {
    PlanBuilder builder(4096);
    builder.add_context(11, {{0, 1}, {1, 2}});
    builder.add_context(13, {{8, 4}});
    return builder;
}

// The problem with a plan whose header was changed after it was built, with a right checksum.
std::string problem_after(const std::function<void(formats::plan::PlanHeader&)>& change) {
    PlanBuilder builder = small_plan();
    size_t bytes = 0;
    builder.build(bytes);
    std::vector<uint64_t> image = builder.build(bytes);
    change(builder.header);
    builder.seal();
    memcpy(image.data(), &builder.header, sizeof builder.header);
    heaps::PlanFile plan;
    return plan.open(reinterpret_cast<const unsigned char*>(image.data()), bytes) ? "" : plan.problem();
}

TEST(PlanFile, FindsEveryContextAndNoOther) {
    PlanBuilder builder = small_plan();
    size_t bytes = 0;
    const std::vector<uint64_t> image = builder.build(bytes);
    heaps::PlanFile plan;
    ASSERT_TRUE(plan.open(reinterpret_cast<const unsigned char*>(image.data()), bytes)) << plan.problem();
    ASSERT_NE(plan.find_context(11), nullptr);
    EXPECT_EQ(plan.find_context(11)->slots, 2u);
    ASSERT_NE(plan.find_context(13), nullptr);
    EXPECT_EQ(plan.slots()[plan.find_context(13)->first_slot].start, 8u);
    EXPECT_EQ(plan.find_context(12), nullptr);
    EXPECT_EQ(plan.sequence(0), nullptr);
}

TEST(PlanFile, RefusesHeadersThatMakeNoSense) {
    EXPECT_EQ(problem_after([](auto&) {}), "");
    EXPECT_NE(problem_after([](auto& header) { header.magic ^= 1; }), "");
    EXPECT_NE(problem_after([](auto& header) { header.version = 99; }), "");
    EXPECT_NE(problem_after([](auto& header) { header.file_bytes += 8; }), "");
    EXPECT_NE(problem_after([](auto& header) { header.matching = 7; }), "");
    EXPECT_NE(problem_after([](auto& header) { header.depth = 0; }), "");
    EXPECT_NE(problem_after([](auto& header) { header.depth = 33; }), "");
    EXPECT_NE(problem_after([](auto& header) { header.arena_bytes = 17; }), "");
    EXPECT_NE(problem_after([](auto& header) { header.arena_bytes = uint64_t{1} << 50; }), "");
    EXPECT_NE(problem_after([](auto& header) { header.contexts_capacity = 3; }), "");
    EXPECT_NE(problem_after([](auto& header) { header.slots_offset = UINT64_MAX - 7; }), "");
    EXPECT_NE(problem_after([](auto& header) { header.slots_count = uint64_t{1} << 61; }), "");
    EXPECT_NE(problem_after([](auto& header) { header.groups_offset += 3; }), "");
    EXPECT_NE(problem_after([](auto& header) { header.sequences_count = UINT64_MAX / 16; }), "");
}

TEST(PlanFile, RefusesEveryFlippedBitOfTheHeader) {
    PlanBuilder builder = small_plan();
    size_t bytes = 0;
    std::vector<uint64_t> image = builder.build(bytes);
    for (size_t bit = 0; bit < sizeof(formats::plan::PlanHeader) * 8; ++bit) {
        image[bit / 64] ^= uint64_t{1} << (bit % 64);
        heaps::PlanFile plan;
        EXPECT_FALSE(plan.open(reinterpret_cast<const unsigned char*>(image.data()), bytes)) << bit;
        image[bit / 64] ^= uint64_t{1} << (bit % 64);
    }
}

TEST(PlanFile, RefusesEveryShorterFile) {
    PlanBuilder builder = small_plan();
    size_t bytes = 0;
    const std::vector<uint64_t> image = builder.build(bytes);
    for (size_t shorter = 0; shorter < bytes; ++shorter) {
        heaps::PlanFile plan;
        EXPECT_FALSE(plan.open(reinterpret_cast<const unsigned char*>(image.data()), shorter));
    }
}

TEST(PlanFile, SlotsBeyondTheSectionAreNotFound) {
    PlanBuilder builder = small_plan();
    builder.contexts[0].slots = 100;
    builder.contexts[1].first_slot = UINT64_MAX;
    size_t bytes = 0;
    const std::vector<uint64_t> image = builder.build(bytes);
    heaps::PlanFile plan;
    ASSERT_TRUE(plan.open(reinterpret_cast<const unsigned char*>(image.data()), bytes));
    EXPECT_EQ(plan.find_context(11), nullptr);
    EXPECT_EQ(plan.find_context(13), nullptr);
}

TEST(PlanFile, AFullTableEndsItsSearch) {
    PlanBuilder builder(4096);
    builder.contexts.assign(8, {});
    size_t bytes = 0;
    std::vector<uint64_t> image = builder.build(bytes);
    auto* table = reinterpret_cast<formats::plan::PlanContext*>(image.data() + sizeof builder.header / 8);
    for (size_t i = 0; i < builder.header.contexts_capacity; ++i) {
        table[i].hash = 1000 + i;
    }
    heaps::PlanFile plan;
    ASSERT_TRUE(plan.open(reinterpret_cast<const unsigned char*>(image.data()), bytes));
    EXPECT_EQ(plan.find_context(5), nullptr);
}

TEST(PlanFile, SaysWhyAFileCannotBeRead) {
    heaps::PlanFile plan;
    EXPECT_FALSE(plan.open("/nowhere/plan"));
    EXPECT_STREQ(plan.problem(), "No such file or directory");
    EXPECT_FALSE(plan.open("/"));
    EXPECT_FALSE(plan.open("/dev/null"));
}

}  // namespace
}  // namespace malloom::tests
