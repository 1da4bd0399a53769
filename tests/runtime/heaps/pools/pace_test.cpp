// A system that answers badly is not asked each time.
#include "runtime/heaps/pools/pace.h"

#include <gtest/gtest.h>

namespace malloom::tests {
namespace {

using heaps::Pace;

/// How many of the opportunities are used, when the system answers so to all of them.
unsigned used(Pace& pace, unsigned opportunities, bool is_good) {
    unsigned count = 0;
    for (unsigned i = 0; i < opportunities; ++i) {
        if (pace.is_due()) {
            ++count;
            pace.answered(is_good);
        }
    }
    return count;
}

TEST(Pace, GoodAnswersAreAllAskedFor) {
    Pace pace;
    EXPECT_EQ(used(pace, 1000, true), 1000u);
}

TEST(Pace, BadOnesEverLessOften) {
    Pace pace;
    EXPECT_EQ(used(pace, 30, false), 3u) << "the first, the third and the ninth";
    EXPECT_LE(used(pace, 100000, false), 110u);
}

TEST(Pace, OneBadAnswerAmongGoodOnesCostsOne) {
    Pace pace;
    ASSERT_TRUE(pace.is_due());
    pace.answered(false);
    EXPECT_FALSE(pace.is_due());
    EXPECT_EQ(used(pace, 100, true), 100u);
    EXPECT_EQ(used(pace, 30, false), 3u) << "the pause is as short as at the beginning";
}

}  // namespace
}  // namespace malloom::tests
