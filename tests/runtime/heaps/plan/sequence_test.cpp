#include "runtime/heaps/plan/slot_matching.h"

#include <gtest/gtest.h>

#include <vector>

#include "formats/plan.h"
#include "runtime/heaps/plan/planned_context.h"

namespace malloom::tests {
namespace {

class SequenceTest : public testing::Test {
  protected:
    // Slots of 1, 2, 3, ... granules.
    void SetUp() override {
        for (uint32_t i = 1; i <= 200; ++i) {
            slots.push_back({i, i});
        }
        requester.first = requester.next = reinterpret_cast<uint64_t>(slots.data());
        requester.end = reinterpret_cast<uint64_t>(slots.data() + slots.size());
    }

    // The slot that a request of so many granules gets, or 0; used up as the heap would.
    uint32_t match(size_t granules) {
        if (!heaps::advance_sequence(requester, granules * 16)) {
            return 0;
        }
        const auto* slot = reinterpret_cast<const formats::plan::PlanSlot*>(requester.next);
        requester.next += sizeof *slot;
        return slot->start;
    }

    std::vector<formats::plan::PlanSlot> slots;
    heaps::PlannedContext requester;
};

TEST_F(SequenceTest, TheRecordedSequenceMatchesThroughout) {
    for (uint32_t i = 1; i <= 200; ++i) {
        EXPECT_EQ(match(i), i);
    }
    EXPECT_EQ(match(1), 0u);
}

TEST_F(SequenceTest, AdditionalRequestsAreLeftOut) {
    EXPECT_EQ(match(1), 1u);
    EXPECT_EQ(match(500), 0u);
    EXPECT_EQ(match(500), 0u);
    EXPECT_EQ(match(2), 2u);
}

TEST_F(SequenceTest, MissingRequestsAreSkippedAfterAFew) {
    EXPECT_EQ(match(1), 1u);
    EXPECT_EQ(match(4), 0u);
    EXPECT_EQ(match(5), 5u);
    EXPECT_EQ(match(16), 0u);
    EXPECT_EQ(match(17), 0u);
    EXPECT_EQ(match(18), 18u);
}

TEST_F(SequenceTest, ALongWayAheadIsNotSearched) {
    EXPECT_EQ(match(150), 0u);
    EXPECT_EQ(match(151), 0u);
    EXPECT_EQ(match(1), 1u);
}

TEST_F(SequenceTest, NothingMatchesWithoutASequence) {
    heaps::PlannedContext nobody;
    EXPECT_FALSE(heaps::advance_sequence(nobody, 16));
}

}  // namespace
}  // namespace malloom::tests
