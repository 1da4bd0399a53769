// As firmware has it: a failure calls a function that the build names.
#include <gtest/gtest.h>

#include <cstdlib>
#include <iostream>

[[noreturn]] static void stop_the_board(const char* file, int line, const char* what) {
    std::cerr << "board stopped at " << file << ", line " << line << ": " << what << '\n';
    _Exit(7);
}
#define MALLOOM_CHECK_FAILED stop_the_board
#include "checks/check.h"

namespace malloom::tests {
namespace {

TEST(CheckDeathTest, BuildsMayNameTheirOwnAction) {
    EXPECT_EXIT(MALLOOM_CHECK(1 == 2), testing::ExitedWithCode(7),
                "board stopped at named_action_test.cpp, line [0-9]+: 1 == 2");
}

}  // namespace
}  // namespace malloom::tests
