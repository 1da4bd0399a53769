#include "runtime/platform/output.h"

#include <errno.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <string>

namespace malloom::platform {
namespace {

std::string text_of(const Line& line) {
    return {line.begin(), line.length()};
}

std::string written(Line& line) {
    int ends[2];
    EXPECT_EQ(pipe(ends), 0);
    line.write_to(ends[1]);
    close(ends[1]);
    char text[4096];
    const ssize_t length = read(ends[0], text, sizeof text);
    close(ends[0]);
    return {text, static_cast<size_t>(length < 0 ? 0 : length)};
}

TEST(Line, WritesNumbers) {
    EXPECT_EQ(text_of(Line().number(0).text(" ").number(UINT64_MAX)), "0 18446744073709551615");
    EXPECT_EQ(text_of(Line().hex(0).text(" ").hex(0xabc).text(" ").hex(UINT64_MAX)),
              "0x0 0xabc 0xffffffffffffffff");
}

TEST(Line, WritesShares) {
    EXPECT_EQ(text_of(Line().percent(0, 0)), "0.0%");
    EXPECT_EQ(text_of(Line().percent(1, 3)), "33.3%");
    EXPECT_EQ(text_of(Line().percent(UINT64_MAX, UINT64_MAX)), "100.0%");
    EXPECT_EQ(text_of(Line().percent(999, 1000)), "99.9%");
}

TEST(Line, WritesBytesInTheLargestUnit) {
    EXPECT_EQ(text_of(Line().bytes(0)), "0 B");
    EXPECT_EQ(text_of(Line().bytes(1023)), "1023 B");
    EXPECT_EQ(text_of(Line().bytes(1024)), "1.0 KiB");
    EXPECT_EQ(text_of(Line().bytes((3 << 20) + (1 << 19))), "3.5 MiB");
    EXPECT_EQ(text_of(Line().bytes(uint64_t{5} << 40)), "5.0 TiB");
    EXPECT_EQ(text_of(Line().bytes(UINT64_MAX)), "16777215.9 TiB");
}

TEST(Line, EndsWithANewlineAndIsCutWhereItIsFull) {
    Line line;
    EXPECT_EQ(written(line.text("short")), "short\n");
    Line full;
    full.text(std::string(5000, 'x').c_str());
    const std::string text = written(full);
    EXPECT_LT(text.size(), 5000u);
    EXPECT_EQ(text.size(), full.length() + 1);
    EXPECT_EQ(text.back(), '\n');
    EXPECT_EQ(text.find('\n'), text.size() - 1);
}

TEST(Line, KeepsErrno) {
    errno = EDOM;
    Line().text("to nowhere").write_to(-1);
    EXPECT_EQ(errno, EDOM);
}

TEST(AbortWith, SaysWhy) {
    EXPECT_DEATH(abort_with("malloom: it is misused"), "^malloom: it is misused\n");
}

}  // namespace
}  // namespace malloom::platform
