// Several plans in one file, each for another executable: which one a process takes, and what damage to the
// others does.
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <string>
#include <vector>

#include "plan_builder.h"
#include "runtime/heaps/plan/plan_file.h"

namespace malloom::tests {
namespace {

constexpr const char* cut = "is not as long as it says: it was cut or is still being written";

class PlansOfSeveral : public testing::Test {
  protected:
    void TearDown() override {
        plan.close();
        remove(path.c_str());
    }

    // One context with a slot, both named after the executable.
    void add(uint64_t program, uint32_t slots = 1) {
        PlanBuilder builder(uint64_t{slots + 16} * 16);
        builder.header.program = program;
        std::vector<PlanBuilder::Slot> its(slots, {static_cast<uint32_t>(program), 1});
        builder.add_context(100 + program, its);
        size_t bytes = 0;
        const std::vector<uint64_t> image = builder.build(bytes);
        const auto* start = reinterpret_cast<const char*>(image.data());
        content.insert(content.end(), start, start + bytes);
    }
    bool opens(uint64_t program) {
        std::ofstream(path, std::ios::binary)
            .write(content.data(), static_cast<std::streamsize>(content.size()));
        plan.close();
        return plan.open(path.c_str(), program);
    }

    const std::string path = testing::TempDir() + "plans_of_several_" + std::to_string(getpid()) + ".plan";
    std::vector<char> content;
    heaps::PlanFile plan;
};

TEST_F(PlansOfSeveral, EachProgramHasItsOwn) {
    for (uint64_t program : {7, 8, 9}) {
        add(program);
    }
    for (uint64_t program : {7, 8, 9}) {
        ASSERT_TRUE(opens(program)) << plan.problem();
        EXPECT_EQ(plan.header().program, program);
        ASSERT_NE(plan.find_context(100 + program), nullptr);
        EXPECT_EQ(plan.slots()[0].start, program);
        EXPECT_EQ(plan.find_context(100 + program + 1), nullptr);
    }
}

TEST_F(PlansOfSeveral, ProgramsWithoutOneAreGivenTheFirst) {
    add(7);
    add(8);
    ASSERT_TRUE(opens(1));
    EXPECT_EQ(plan.header().program, 7u);
    EXPECT_NE(plan.find_context(107), nullptr);
}

TEST_F(PlansOfSeveral, OneForAnyProgramIsTakenWhereThereIsNoneOfItsOwn) {
    add(7);
    add(0);
    add(9);
    for (uint64_t program : {1, 7, 9}) {
        ASSERT_TRUE(opens(program));
        EXPECT_EQ(plan.header().program, program == 1 ? 0 : program);
    }
}

TEST_F(PlansOfSeveral, SlotsThatAreReadLaterAreItsOwn) {
    constexpr uint32_t many = 600000;
    add(7, many);
    add(8, many);
    ASSERT_TRUE(opens(8)) << plan.problem();
    ASSERT_TRUE(plan.fetches_slots());
    ASSERT_TRUE(plan.fetch_slots(plan.slots() + many - 2, plan.slots() + many));
    EXPECT_EQ(plan.slots()[many - 1].start, 8u);
    std::vector<PlanBuilder::Slot> copied(many);
    ASSERT_TRUE(plan.copy_slots(copied.data()));
    EXPECT_EQ(copied[many / 2].start, 8u);
}

TEST_F(PlansOfSeveral, WhatIsCutIsRefusedByWhoLooksThere) {
    add(7);
    const size_t first = content.size();
    add(8);
    content.resize(content.size() - 8);
    EXPECT_FALSE(opens(8));
    EXPECT_STREQ(plan.problem(), cut);
    EXPECT_TRUE(opens(7));
    content.resize(first + 100);
    EXPECT_FALSE(opens(8));
    EXPECT_STREQ(plan.problem(), cut);
    content.resize(first - 8);
    EXPECT_FALSE(opens(7));
    EXPECT_STREQ(plan.problem(), cut);
}

TEST_F(PlansOfSeveral, WhatFollowsAPlanIsAPlan) {
    add(7);
    content.resize(content.size() + 4096, 'x');
    for (uint64_t program : {7, 8}) {
        EXPECT_FALSE(opens(program));
        EXPECT_STREQ(plan.problem(), cut);
    }
}

TEST_F(PlansOfSeveral, ADamagedHeaderEndsTheSearch) {
    add(7);
    const size_t first = content.size();
    add(8);
    add(9);
    content[first + 20] ^= 1;
    EXPECT_FALSE(opens(9));
    EXPECT_STREQ(plan.problem(), "is damaged: its header's checksum is wrong");
}

TEST_F(PlansOfSeveral, NoSearchIsEndless) {
    for (uint64_t program = 1; program <= 64; ++program) {
        add(program);
    }
    EXPECT_TRUE(opens(64));
    add(65);
    EXPECT_FALSE(opens(65));
    EXPECT_STREQ(plan.problem(), "has more plans than any build has programs: it is damaged");
    EXPECT_TRUE(opens(64));
}

}  // namespace
}  // namespace malloom::tests
