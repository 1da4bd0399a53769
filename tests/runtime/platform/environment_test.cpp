#include "runtime/platform/environment.h"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

namespace malloom::platform {
namespace {

TEST(Environment, GivesTheValueOfTheWholeName) {
    setenv("MALLOOM_TEST_NAME", "value=1", 1);
    EXPECT_STREQ(environment_value("MALLOOM_TEST_NAME"), "value=1");
    EXPECT_EQ(environment_value("MALLOOM_TEST"), nullptr);
    unsetenv("MALLOOM_TEST_NAME");
    EXPECT_EQ(environment_value("MALLOOM_TEST_NAME"), nullptr);
}

TEST(Environment, MayBeGone) {
    char** const kept = environ;
    environ = nullptr;
    const char* value = environment_value("PATH");
    environ = kept;
    EXPECT_EQ(value, nullptr);
}

TEST(Environment, NumbersFillTheWholeText) {
    EXPECT_EQ(decimal_value("0", 7), 0u);
    EXPECT_EQ(decimal_value("18446744073709551615", 7), UINT64_MAX);
    for (const char* text :
         {"", "-1", "+1", " 1", "1 ", "0x10", "1e3", "18446744073709551616", "99999999999999999999"})
        EXPECT_EQ(decimal_value(text, 7), 7u) << text;
    EXPECT_EQ(decimal_value(nullptr, 7), 7u);
}

TEST(Environment, EqualsToleratesNull) {
    EXPECT_TRUE(equals("plan", "plan"));
    EXPECT_FALSE(equals("plans", "plan"));
    EXPECT_FALSE(equals(nullptr, "plan"));
}

}  // namespace
}  // namespace malloom::platform
