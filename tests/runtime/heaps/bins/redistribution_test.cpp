#include "runtime/heaps/bins/redistribution.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <vector>
#include "tests/amount.h"

namespace malloom::tests {
namespace {

using namespace heaps::bins;

constexpr uint32_t granule = 16;

struct Bins {
    std::vector<uint32_t> begins, counts;
    uint32_t end;

    CountedBins counted() const {
        return {begins.data(), counts.data(), static_cast<unsigned>(begins.size()), end, granule};
    }
    std::vector<uint32_t> linearly(unsigned wanted) const {
        std::vector<uint32_t> result(wanted);
        result.resize(redistribute_linearly(counted(), wanted, result.data()));
        return result;
    }
    std::vector<uint32_t> smoothly(unsigned wanted) const {
        std::vector<uint32_t> result(wanted);
        result.resize(redistribute_smoothly(counted(), wanted, result.data()));
        return result;
    }
    std::vector<uint32_t> by_cost(unsigned wanted) const {
        std::vector<uint32_t> result(wanted), lost = counts;
        const CountedBins old = {begins.data(), lost.data(), static_cast<unsigned>(begins.size()), end,
                                 granule};
        result.resize(redistribute_by_cost(old, lost.data(), wanted, result.data()));
        return result;
    }
    /// And what each may expect.
    std::pair<std::vector<uint32_t>, std::vector<uint32_t>> by_octave(unsigned wanted) const {
        std::vector<uint32_t> result(wanted), expected = counts;
        expected.resize(std::max<size_t>(expected.size(), wanted));
        const CountedBins old = {begins.data(), expected.data(), static_cast<unsigned>(begins.size()), end,
                                 granule};
        result.resize(redistribute_by_octave(old, expected.data(), wanted, result.data()));
        expected.resize(result.size());
        return {result, expected};
    }
    static long among(const std::vector<uint32_t>& found, uint32_t begin, uint32_t end) {
        return std::count_if(found.begin(), found.end(),
                             [=](uint32_t each) { return each >= begin && each < end; });
    }
};

TEST(Redistribution, BinsWithMuchAreDivided) {
    const Bins bins = {{0, 160, 320, 480}, {0, 100, 0, 0}, 640};
    EXPECT_EQ(bins.linearly(4), (std::vector<uint32_t>{0, 208, 240, 288})) << "of 160 to 320, the quarters";
}

TEST(Redistribution, WhatIsEvenStays) {
    const Bins bins = {{0, 160, 320, 480}, {7, 7, 7, 7}, 640};
    EXPECT_EQ(bins.linearly(4), bins.begins);
    EXPECT_EQ(bins.linearly(8), (std::vector<uint32_t>{0, 80, 160, 240, 320, 400, 480, 560}));
}

TEST(Redistribution, OctavesHavePowersOfTwoOfBins) {
    const Bins bins = {{0, 64, 128, 256, 512}, {1, 0, 800, 50, 0}, 1'024};
    const auto [begins, expected] = bins.by_octave(11);
    EXPECT_EQ(begins, (std::vector<uint32_t>{0, 64, 128, 160, 192, 224, 256, 320, 384, 448, 512}));
    EXPECT_EQ(expected, (std::vector<uint32_t>{1, 0, 200, 200, 200, 200, 12, 12, 12, 12, 0}));
}

TEST(Redistribution, OctavesStartWithABinEach) {
    const Bins bins = {{0, 300}, {0, 5}, 1'024};
    const auto [begins, expected] = bins.by_octave(5);
    EXPECT_EQ(begins, (std::vector<uint32_t>{0, 64, 128, 256, 512}));
    EXPECT_GT(expected[4], expected[3]) << "more of it lies there";
    EXPECT_EQ(expected[0] + expected[1], 0u);
    EXPECT_TRUE(bins.by_octave(3).first.size() == 3) << "fewer than there are octaves";
    EXPECT_TRUE((Bins{{0, 300}, {0, 0}, 1'024}.by_octave(5).first.empty()));
}

TEST(Redistribution, OctavesOfAnyCountsAscend) {
    std::mt19937 random(4);
    for (int round = 0; round < 300; ++round) {
        Bins bins = {{0}, {static_cast<uint32_t>(random())}, 0};
        for (unsigned bin = 1 + random() % 120; bin > 0; --bin) {
            bins.begins.push_back(bins.begins.back() + granule * (1 + random() % (1u << random() % 16)));
            bins.counts.push_back(static_cast<uint32_t>(random()) >> random() % 32);
        }
        bins.end = std::min<uint64_t>(uint64_t{bins.begins.back()} * 2, UINT32_MAX / 2);
        const unsigned wanted = 1 + random() % 200;
        const auto [begins, expected] = bins.by_octave(wanted);
        ASSERT_LE(begins.size(), wanted);
        ASSERT_FALSE(begins.empty());
        EXPECT_EQ(begins[0], 0u);
        EXPECT_TRUE(std::is_sorted(begins.begin(), begins.end(), std::less_equal<uint32_t>()));
        EXPECT_TRUE(
            std::all_of(begins.begin(), begins.end(), [](uint32_t each) { return each % granule == 0; }));
    }
}

TEST(Redistribution, OneSizeHasOneBin) {
    const Bins bins = {{0, 64, 80, 96}, {0, 1'000, 0, 0}, 1'024};
    EXPECT_EQ(bins.linearly(4), (std::vector<uint32_t>{0, 80}));
}

TEST(Redistribution, NothingIsCountedNothingChanges) {
    const Bins bins = {{0, 64}, {0, 0}, 1'024};
    EXPECT_TRUE(bins.linearly(2).empty());
    EXPECT_TRUE(bins.smoothly(2).empty());
    EXPECT_TRUE(bins.by_cost(2).empty());
}

TEST(Redistribution, SomeBinsLieEvenly) {
    Bins bins = {std::vector<uint32_t>(64), std::vector<uint32_t>(64), 1 << 16};
    for (unsigned bin = 0; bin < 64; ++bin) {
        bins.begins[bin] = bin * 1'024;
    }
    bins.counts[0] = 1'000'000;
    const std::vector<uint32_t> found = bins.smoothly(64);
    const auto beyond =
        std::count_if(found.begin(), found.end(), [](uint32_t begin) { return begin > 1'024; });
    EXPECT_GE(beyond, 4);
    EXPECT_GE(std::ssize(found) - beyond, 40);
}

// Four times the steps are halved by twice the bins: the sum is the least then.
TEST(Redistribution, BinsAreAsTheRootOfTheCost) {
    const Bins bins = {{0, 1 << 16, 2 << 16, 3 << 16}, {0, 40'000, 10'000, 0}, 4 << 16};
    const std::vector<uint32_t> found = bins.by_cost(64);
    const auto first = Bins::among(found, 1 << 16, 2 << 16), second = Bins::among(found, 2 << 16, 3 << 16);
    EXPECT_NEAR(static_cast<double>(first) / static_cast<double>(second), 2, 0.4) << first << " " << second;
    const std::vector<uint32_t> evenly = bins.smoothly(64);
    EXPECT_GT(Bins::among(evenly, 1 << 16, 2 << 16), 3 * Bins::among(evenly, 2 << 16, 3 << 16));
}

// The other bins get what a bin with two sizes has no use for.
TEST(Redistribution, NoBinsAreLostAtOneSize) {
    const Bins bins = {{0, 64, 96, 1 << 14}, {0, 1'000'000, 4'000, 0}, 1 << 15};
    EXPECT_LT(bins.smoothly(64).size(), 30u);
    const std::vector<uint32_t> found = bins.by_cost(64);
    EXPECT_GT(found.size(), 56u);
    EXPECT_EQ(Bins::among(found, 64, 96), 2);
}

// Larger counts than their roots have bits for.
TEST(Redistribution, CountsMayBeAtTheirEnd) {
    Bins bins = {{0, 4'096, 8'192}, {UINT32_MAX, UINT32_MAX, UINT32_MAX}, 12'288};
    EXPECT_EQ(bins.by_cost(3).size(), 3u);
    bins.counts = {UINT32_MAX / 64, UINT32_MAX / 64 + 1, 0};
    const std::vector<uint32_t> found = bins.by_cost(128);
    EXPECT_NEAR(static_cast<double>(Bins::among(found, 0, 4'096)),
                static_cast<double>(Bins::among(found, 4'096, 8'192)), 24)
        << "and a quarter of the bins lies by the logarithm";
}

TEST(Redistribution, BeginsAscendWhateverIsCounted) {
    std::mt19937 random(1);
    for (int round = 0; round < amount(3'000); ++round) {
        Bins bins = {std::vector<uint32_t>(random() % 200 + 1), {}, 0};
        std::iota(bins.begins.begin(), bins.begins.end(), 0);
        for (uint32_t& begin : bins.begins) {
            begin *= granule * (random() % 3 == 0 ? 1'000'000 / 200 : 3);
        }
        std::sort(bins.begins.begin(), bins.begins.end());
        bins.begins.erase(std::unique(bins.begins.begin(), bins.begins.end()), bins.begins.end());
        bins.counts.resize(bins.begins.size());
        for (uint32_t& count : bins.counts) {
            count = static_cast<uint32_t>(random()) >> random() % 32;
        }
        bins.end = bins.begins.back() + granule + static_cast<uint32_t>(random()) % (1u << 30);
        const unsigned wanted = random() % 1'024 + 1;
        for (const auto& found : {bins.linearly(wanted), bins.smoothly(wanted), bins.by_cost(wanted)}) {
            ASSERT_LE(found.size(), wanted);
            for (size_t i = 0; i < found.size(); ++i) {
                ASSERT_EQ(found[i] % granule, 0u);
                ASSERT_TRUE(i == 0 ? found[i] == 0 : found[i] > found[i - 1]);
            }
        }
    }
}

}  // namespace
}  // namespace malloom::tests
