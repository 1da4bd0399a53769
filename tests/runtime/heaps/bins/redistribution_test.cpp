#include "runtime/heaps/bins/redistribution.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <vector>

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

TEST(Redistribution, OneSizeHasOneBin) {
    const Bins bins = {{0, 64, 80, 96}, {0, 1'000, 0, 0}, 1'024};
    EXPECT_EQ(bins.linearly(4), (std::vector<uint32_t>{0, 80}));
}

TEST(Redistribution, NothingIsCountedNothingChanges) {
    const Bins bins = {{0, 64}, {0, 0}, 1'024};
    EXPECT_TRUE(bins.linearly(2).empty());
    EXPECT_TRUE(bins.smoothly(2).empty());
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

TEST(Redistribution, BeginsAscendWhateverIsCounted) {
    std::mt19937 random(1);
    for (int round = 0; round < 3'000; ++round) {
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
        for (const auto& found : {bins.linearly(wanted), bins.smoothly(wanted)}) {
            for (size_t i = 0; i < found.size(); ++i) {
                ASSERT_EQ(found[i] % granule, 0u);
                ASSERT_TRUE(i == 0 ? found[i] == 0 : found[i] > found[i - 1]);
            }
        }
    }
}

}  // namespace
}  // namespace malloom::tests
