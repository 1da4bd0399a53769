#include "runtime/heaps/plan/plan_writer.h"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "tests/runtime/heaps/plan/plan_builder.h"

namespace malloom::tests {
namespace {

using formats::plan::PlanContext;
using formats::plan::PlanPrefetch;

class PlanWriter : public testing::Test {
  protected:
    void SetUp() override {
        char pattern[] = "/tmp/malloom-writer-XXXXXX";
        folder = mkdtemp(pattern);
        path = folder + "/learned.plan";
    }
    void TearDown() override { std::filesystem::remove_all(folder); }

    size_t files() const {
        const std::filesystem::directory_iterator all(folder);
        return static_cast<size_t>(std::distance(begin(all), end(all)));
    }

    std::string folder;
    std::string path;
};

std::vector<PlanContext> pools(size_t count) {
    std::vector<PlanContext> contexts;
    for (uint64_t i = 1; i <= count; ++i) {
        contexts.push_back(
            {i * 0x9e3779b97f4a7c15, 0, 0, formats::plan::no_group, static_cast<uint32_t>(16 * i), 0, 0, 0});
    }
    return contexts;
}

TEST_F(PlanWriter, WhatWasLearnedIsReadAgain) {
    const std::vector<PlanContext> contexts = pools(100);
    const PlanPrefetch prefetch = {7, 0x1234, 0, 15, 16, 8, 0, 1, 0, 16, 1};
    heaps::LearnedPlan learned;
    learned.program = 77;
    learned.depth = 3;
    learned.contexts = contexts.data();
    learned.contexts_count = contexts.size();
    learned.prefetches = &prefetch;
    learned.prefetches_count = 1;
    ASSERT_EQ(heaps::write_plan(learned, path.c_str()), nullptr);
    heaps::PlanFile plan;
    ASSERT_TRUE(plan.open(path.c_str())) << plan.problem();
    EXPECT_EQ(plan.header().program, 77u);
    EXPECT_EQ(plan.header().depth, 3u);
    EXPECT_EQ(plan.header().pools_count, 100u);
    EXPECT_STREQ(plan.header().strategy.bytes, "pools");
    for (const PlanContext& context : contexts) {
        ASSERT_NE(plan.find_context(context.hash), nullptr);
        EXPECT_EQ(plan.find_context(context.hash)->pool_bytes, context.pool_bytes);
    }
    ASSERT_EQ(plan.prefetches_count(), 1u);
    EXPECT_EQ(memcmp(plan.prefetches(), &prefetch, sizeof prefetch), 0);
    EXPECT_EQ(files(), 1u);
    plan.close();
}

TEST_F(PlanWriter, ALimitOfFilesIsAProblemAndNoSignal) {
    rlimit before{};
    ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
    const rlimit small = {100, before.rlim_max};
    ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
    const char* problem = heaps::write_plan({}, path.c_str());
    ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &before), 0);
    EXPECT_STREQ(problem, "File too large");
    EXPECT_EQ(files(), 0u);
}

TEST_F(PlanWriter, AnEmptyPlanIsAPlan) {
    ASSERT_EQ(heaps::write_plan({}, path.c_str()), nullptr);
    heaps::PlanFile plan;
    EXPECT_TRUE(plan.open(path.c_str())) << plan.problem();
    EXPECT_EQ(plan.find_context(1), nullptr);
    plan.close();
}

TEST_F(PlanWriter, WhatThePlanOfTheRunSaidStays) {
    PlanBuilder builder(4096);
    builder.add_context(11, {{0, 1}, {1, 2}});
    builder.add_pool(13, 48);
    builder.prefetches.push_back({7, 0x1234, 0, 15, 16, 8, 0, 1, 0, 16, 1});
    size_t bytes = 0;
    const std::vector<uint64_t> image = builder.build(bytes);
    heaps::PlanFile base;
    ASSERT_TRUE(base.open(reinterpret_cast<const unsigned char*>(image.data()), bytes));
    const PlanContext contexts[] = {{11, 0, 0, formats::plan::no_group, 32, 3, 8, 5},
                                    {17, 0, 0, 0, 64, 0, 0, 0}};
    heaps::LearnedPlan learned;
    learned.base = &base;
    learned.contexts = contexts;
    learned.contexts_count = 2;
    ASSERT_EQ(heaps::write_plan(learned, path.c_str()), nullptr);
    heaps::PlanFile plan;
    ASSERT_TRUE(plan.open(path.c_str())) << plan.problem();
    EXPECT_EQ(plan.find_context(11)->slots, 2u);
    EXPECT_EQ(plan.find_context(11)->pool_bytes, 32u);
    EXPECT_EQ(plan.find_context(11)->companion_place, 3u);
    EXPECT_EQ(plan.find_context(11)->companion_offset, 8u);
    EXPECT_EQ(plan.find_context(11)->companion_objects, 5u);
    EXPECT_EQ(plan.slots()[plan.find_context(11)->first_slot + 1].granules, 2u);
    EXPECT_EQ(plan.find_context(13)->pool_bytes, 48u);
    EXPECT_EQ(plan.find_context(17)->pool_bytes, 64u);
    EXPECT_EQ(plan.header().arena_bytes, 4096u);
    EXPECT_EQ(plan.header().pools_count, 3u);
    EXPECT_EQ(plan.prefetches_count(), 1u);
    plan.close();
}

TEST_F(PlanWriter, AnOlderPlanIsReplacedAndNothingElseIs) {
    ASSERT_EQ(heaps::write_plan({}, path.c_str()), nullptr);
    EXPECT_EQ(heaps::write_plan({}, path.c_str()), nullptr);
    std::ofstream(path, std::ios::trunc) << "a text that somebody wrote";
    EXPECT_STREQ(heaps::write_plan({}, path.c_str()), "is there, and is no plan");
    EXPECT_STREQ(heaps::write_plan({}, folder.c_str()), "is there, and is no plan");
    EXPECT_STREQ(heaps::write_plan({}, "/nowhere/a.plan"), "No such file or directory");
    const std::string device = folder + "/fifo";
    ASSERT_EQ(mkfifo(device.c_str(), 0600), 0);
    EXPECT_STREQ(heaps::write_plan({}, device.c_str()), "is there, and is no plan");
    EXPECT_EQ(files(), 2u);
}

}  // namespace
}  // namespace malloom::tests
