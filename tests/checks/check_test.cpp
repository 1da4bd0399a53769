#include "checks/check.h"

#include <gtest/gtest.h>

namespace malloom::tests {
namespace {

TEST(CheckDeathTest, FailureSaysWhereAndWhatAndAborts) {
    const int chunks = 3;
    EXPECT_EXIT(MALLOOM_CHECK(chunks == 4), testing::KilledBySignal(SIGABRT),
                "^malloom: fault of malloom's own: check_test.cpp:[0-9]+: chunks == 4\n");
}

TEST(CheckDeathTest, FullChecksAreInCheckedBuildsAlone) {
    int evaluated = 0;
    MALLOOM_CHECK_FULL(++evaluated == 1);
#if defined(MALLOOM_CHECKED)
    EXPECT_EQ(evaluated, 1);
    EXPECT_DEATH(MALLOOM_CHECK_FULL(evaluated == 0), "evaluated == 0");
#else
    EXPECT_EQ(evaluated, 0);
    MALLOOM_CHECK_FULL(evaluated == 1);
#endif
}

TEST(Check, WhatHoldsIsEvaluatedOnceAndChangesNothing) {
    int evaluated = 0;
    MALLOOM_CHECK(++evaluated == 1);
    EXPECT_EQ(evaluated, 1);
}

}  // namespace
}  // namespace malloom::tests
