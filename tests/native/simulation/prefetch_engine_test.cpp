#include "src/native/simulation/prefetch_engine.h"

#include <gtest/gtest.h>

#include <vector>

namespace malloom::native {
namespace {

constexpr uint64_t line_bytes = 128;
constexpr uint64_t page_bytes = 4096;
constexpr CacheShape first_cache{128, 2, line_bytes};
constexpr CacheShape second_cache{1440, 8, line_bytes};

PrefetchCounts counts_of_lines(const std::vector<uint64_t>& lines) {
    PrefetchEngine engine(first_cache, second_cache);
    for (const uint64_t line : lines) engine.access(line * line_bytes, 8);
    return engine.counts;
}

TEST(PrefetchEngine, BeginsAStreamInEachPageOfARow) {
    std::vector<uint64_t> lines;
    for (uint64_t line = 0; line < 3 * page_bytes / line_bytes; ++line) lines.push_back(line);
    const PrefetchCounts counts = counts_of_lines(lines);
    EXPECT_EQ(counts.streams, 3u);
    // All of a page's lines but the two that must miss.
    EXPECT_EQ(counts.first_level, 3u * 30);
    EXPECT_EQ(counts.second_level, 3u * 30);
}

TEST(PrefetchEngine, FollowsDownwardsToo) {
    const PrefetchCounts counts = counts_of_lines({31, 30, 29, 28});
    EXPECT_EQ(counts.streams, 1u);
    EXPECT_EQ(counts.first_level, 3u);
    EXPECT_EQ(counts.second_level, 7u);  // five ahead of the second miss, and one for each use after it
}

TEST(PrefetchEngine, SeesNoStreamInLinesApart) {
    const PrefetchCounts counts = counts_of_lines({0, 2, 4, 6, 40, 80, 300});
    EXPECT_EQ(counts.streams, 0u);
    EXPECT_EQ(counts.first_level + counts.second_level, 0u);
}

TEST(PrefetchEngine, PrefetchesNothingThatIsThere) {
    EXPECT_EQ(counts_of_lines({3, 2, 4, 5, 0, 1}).first_level, 2u);
    EXPECT_EQ(counts_of_lines({0, 1, 0, 1, 0, 1}).streams, 1u);
}

/// Lines of so many pages in turn, so that each page's stream is used once a round.
std::vector<uint64_t> in_turn(uint64_t pages, uint64_t lines) {
    std::vector<uint64_t> all;
    for (uint64_t line = 0; line < lines; ++line) {
        for (uint64_t page = 0; page < pages; ++page) all.push_back(page * page_bytes / line_bytes + line);
    }
    return all;
}

TEST(PrefetchEngine, HasEightStreams) {
    EXPECT_EQ(counts_of_lines(in_turn(8, 20)).streams, 8u);
    EXPECT_GT(counts_of_lines(in_turn(9, 20)).streams, 9u);
}

TEST(PrefetchEngine, TakesALineOnceHoweverOftenItIsUsed) {
    PrefetchEngine engine(first_cache, second_cache);
    for (uint64_t address = 0; address < page_bytes; address += 8) engine.access(address, 8);
    EXPECT_EQ(engine.counts.streams, 1u);
    EXPECT_EQ(engine.counts.first_level, 30u);
}

TEST(PrefetchEngine, NeedsLinesOfOneSize) {
    EXPECT_THROW(PrefetchEngine({128, 2, 64}, second_cache), std::invalid_argument);
}

}  // namespace
}  // namespace malloom::native
