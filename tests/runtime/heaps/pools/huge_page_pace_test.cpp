// A system that makes huge pages slowly is not asked for all of them.
#include "runtime/heaps/pools/huge_page_pace.h"

#include <gtest/gtest.h>

namespace malloom::tests {
namespace {

using heaps::HugePagePace;

constexpr uint64_t quick = 500000;
constexpr uint64_t slow = HugePagePace::slow_nanoseconds + 1;

/// How many of the opportunities are used, when those that are take so long.
unsigned used(HugePagePace& pace, unsigned opportunities, uint64_t nanoseconds) {
    unsigned count = 0;
    for (unsigned i = 0; i < opportunities; ++i) {
        if (pace.is_due()) {
            ++count;
            pace.took(nanoseconds);
        }
    }
    return count;
}

TEST(HugePagePace, QuickOnesAreAllAskedFor) {
    HugePagePace pace;
    EXPECT_EQ(used(pace, 1000, quick), 1000u);
    EXPECT_EQ(used(pace, 1000, HugePagePace::slow_nanoseconds), 1000u);
}

TEST(HugePagePace, SlowOnesEverLessOften) {
    HugePagePace pace;
    EXPECT_EQ(used(pace, 30, slow), 3u) << "the first, the third and the ninth";
    EXPECT_LE(used(pace, 100000, slow), 110u);
}

TEST(HugePagePace, OneSlowOneAmongQuickOnesCostsOne) {
    HugePagePace pace;
    ASSERT_TRUE(pace.is_due());
    pace.took(slow);
    EXPECT_FALSE(pace.is_due());
    EXPECT_EQ(used(pace, 100, quick), 100u);
    EXPECT_EQ(used(pace, 30, slow), 3u) << "the pause is as short as at the beginning";
}

}  // namespace
}  // namespace malloom::tests
