#include "src/native/survey/line_use.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

namespace malloom::native {
namespace {

constexpr uint64_t page = LineUse::line_bytes * LineUse::page_lines;

struct Line {
    uint64_t accesses = 0;
    uint64_t first = never;
    uint64_t used = 0;
    bool operator==(const Line&) const = default;
};

ResolvedAccess access(uint32_t request, uint64_t offset, unsigned log2, uint32_t weight = 1) {
    return {request, weight, offset | uint64_t{log2} << ResolvedAccess::size_shift};
}

/// By the line's number, those alone that an access reached.
std::map<uint64_t, Line> lines_of(LineUse& use) {
    const std::vector<uint64_t> pages = use.take_pages();
    const std::vector<LineUse::Line> lines = use.take_lines();
    std::map<uint64_t, Line> found;
    for (size_t i = 0; i < lines.size(); ++i) {
        const uint64_t number =
            pages[i / LineUse::page_lines] * LineUse::page_lines + i % LineUse::page_lines;
        if (lines[i].accesses != 0) found[number] = {lines[i].accesses, lines[i].first, lines[i].used};
    }
    return found;
}

TEST(LineUse, AnAccessReachesAllLinesThatItsBytesLieIn) {
    const std::vector<uint64_t> addresses{page - 4, 3 * page};
    LineUse use(addresses);
    use.add(access(0, 0, 3), 5);
    use.add(access(1, 64, 0, 7), 6);
    use.add(access(2, 0, 3), 7);  // of no request
    const std::map<uint64_t, Line> expected{
        {63, {1, 5, uint64_t{15} << 60}}, {64, {1, 5, 15}}, {193, {7, 6, 1}}};
    EXPECT_EQ(lines_of(use), expected);
}

TEST(LineUse, CountsAsAPlainModelDoes) {
    std::mt19937_64 random(5);
    std::vector<uint64_t> addresses(40);
    for (uint64_t& address : addresses) address = random() % (9 * page);
    LineUse use(addresses);
    std::map<uint64_t, Line> expected;
    for (uint64_t position = 0; position < 5000; ++position) {
        const ResolvedAccess made = access(static_cast<uint32_t>(random() % addresses.size()), random() % 300,
                                           static_cast<unsigned>(random() % 7));
        use.add(made, position);
        const uint64_t begin = addresses[made.request] + made.offset();
        for (uint64_t line = begin / 64; line <= (begin + made.size() - 1) / 64; ++line) {
            ++expected[line].accesses;
            expected[line].first = std::min(expected[line].first, position);
        }
        for (uint64_t byte = begin; byte < begin + made.size(); ++byte) {
            expected[byte / 64].used |= uint64_t{1} << (byte % 64);
        }
    }
    EXPECT_EQ(lines_of(use), expected);
}

}  // namespace
}  // namespace malloom::native
