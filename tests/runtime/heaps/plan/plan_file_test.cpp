#include "runtime/heaps/plan/plan_file.h"

#include <gtest/gtest.h>

#include <functional>

#include "tests/runtime/heaps/plan/plan_builder.h"

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
    EXPECT_NE(problem_after([](auto& header) { header.prefetches_count = 1; }), "");
    EXPECT_NE(problem_after([](auto& header) {
                  header.prefetches_count = UINT64_MAX / sizeof(formats::plan::PlanPrefetch) + 2;
              }),
              "");
    EXPECT_NE(problem_after([](auto& header) { header.prefetches_offset += 4; }), "");
    EXPECT_NE(problem_after([](auto& header) { header.slots_offset = 0; }), "");
    EXPECT_NE(problem_after([](auto& header) { header.contexts_offset = 0; }), "");
    EXPECT_NE(problem_after([](auto& header) { header.slots_offset = header.contexts_offset; }), "");
    EXPECT_NE(problem_after([](auto& header) { header.record_offset = uint64_t{1} << 63; }), "");
    EXPECT_NE(problem_after([](auto& header) { header.record_bytes = UINT64_MAX; }), "");
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

TEST(PlanFile, PlansOfOlderVersionsAreRefused) {
    for (const char* sample : {MALLOOM_SAMPLES "/version_1.plan", MALLOOM_SAMPLES "/version_2.plan"}) {
        heaps::PlanFile plan;
        EXPECT_FALSE(plan.open(sample));
        EXPECT_STREQ(plan.problem(), "has a version that this malloom does not read");
    }
}

// Byte by byte what docs/formats.md says, so that no change of the format goes unseen.
TEST(PlanFile, ThePlanOfTheSampleHasItsBytes) {
    heaps::PlanFile sample;
    ASSERT_TRUE(sample.open(MALLOOM_SAMPLES "/version_3.plan")) << sample.problem();
    PlanBuilder builder(4096);
    builder.header.program = 7;
    builder.header.body_checksum = sample.header().body_checksum;
    builder.add_context(11, {{0, 1}, {1, 2}});
    builder.add_pool(13, 48, 3, 8, 5);
    builder.prefetches.push_back({7, 0x1234, 0x1122334455667788, 3, 16, 1, 88, 3, -8, 16, 1});
    size_t bytes = 0;
    const std::vector<uint64_t> image = builder.build(bytes);
    ASSERT_EQ(sample.header().file_bytes, bytes);
    EXPECT_EQ(memcmp(&sample.header(), image.data(), bytes), 0);
    ASSERT_NE(sample.find_context(13), nullptr);
    EXPECT_EQ(sample.find_context(13)->pool_bytes, 48u);
    ASSERT_EQ(sample.prefetches_count(), 1u);
    EXPECT_TRUE(heaps::PlanFile::is_sound(sample.prefetches()[0]));
    EXPECT_EQ(sample.prefetches()[0].target_displacement, -8);
}

TEST(PlanFile, PrefetchesThatMakeNoSenseAreNotSound) {
    using formats::plan::PlanPrefetch;
    const PlanPrefetch good = {7, 0x1234, 0, 15, 16, 8, 0, 3, 0, 16, 1};
    EXPECT_TRUE(heaps::PlanFile::is_sound(good));
    const auto sound_with = [&](uint32_t PlanPrefetch::* field, uint32_t value) {
        PlanPrefetch changed = good;
        changed.*field = value;
        return heaps::PlanFile::is_sound(changed);
    };
    EXPECT_TRUE(sound_with(&PlanPrefetch::base, 16));
    EXPECT_FALSE(sound_with(&PlanPrefetch::base, 17));
    EXPECT_FALSE(sound_with(&PlanPrefetch::index, 17));
    EXPECT_FALSE(sound_with(&PlanPrefetch::scale, 0));
    EXPECT_FALSE(sound_with(&PlanPrefetch::scale, 3));
    EXPECT_FALSE(sound_with(&PlanPrefetch::kind, 0));
    EXPECT_FALSE(sound_with(&PlanPrefetch::kind, 5));
    EXPECT_FALSE(sound_with(&PlanPrefetch::target_base, 17));
    EXPECT_FALSE(sound_with(&PlanPrefetch::target_scale, 16));
}

TEST(PlanFile, AFullTableEndsItsSearch) {
    PlanBuilder builder(4096);
    builder.contexts.assign(8, {});
    size_t bytes = 0;
    std::vector<uint64_t> image = builder.build(bytes);
    auto* table = reinterpret_cast<formats::plan::PlanContext*>(&image[sizeof builder.header / 8]);
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
