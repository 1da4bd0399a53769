#include "dynamorio/client_options.h"

#include <gtest/gtest.h>

namespace malloom::dynamorio {
namespace {

struct Options {
    uint64_t line = 64;
    uint64_t lines = 5;
};

constexpr ClientOption<Options> known[] = {{"line", &Options::line}, {"lines", &Options::lines}};

bool parse(const char* argument, Options& options) {
    return parse_option(argument, known, options);
}

TEST(ClientOptions, SetTheFieldThatIsNamed) {
    Options options;
    EXPECT_TRUE(parse("lines=7", options));
    EXPECT_EQ(options.lines, 7u);
    EXPECT_EQ(options.line, 64u);
    EXPECT_TRUE(parse("line=0", options));
    EXPECT_EQ(options.line, 0u);
}

TEST(ClientOptions, HoldAnyNumberOf64Bits) {
    Options options;
    EXPECT_TRUE(parse("line=18446744073709551615", options));
    EXPECT_EQ(options.line, UINT64_MAX);
    EXPECT_FALSE(parse("line=18446744073709551616", options));
    EXPECT_FALSE(parse("line=99999999999999999999999", options));
}

TEST(ClientOptions, RefuseWhatIsNoOptionOrNoNumber) {
    Options options;
    for (const char* argument :
         {"", "=1", "lin=1", "liness=1", "line", "line=", "line=1x", "line=-1", "line= 1"})
        EXPECT_FALSE(parse(argument, options)) << argument;
}

}  // namespace
}  // namespace malloom::dynamorio
