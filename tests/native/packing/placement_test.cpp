// Places of requests as the core's own checks see them. What places are good is tested from Python.
#include "src/native/packing/placement.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace malloom::native {
namespace {

/// Requests that come and go at random.
struct Requests {
    explicit Requests(unsigned seed) {
        std::mt19937 random(seed);
        for (uint64_t ticket = 0; ticket < 3'000; ++ticket) {
            if (random() % 2 == 0 && !living.empty()) {
                std::swap(living[random() % living.size()], living.back());
                death[living.back()] = ticket;
                living.pop_back();
                continue;
            }
            living.push_back(birth.size());
            birth.push_back(ticket);
            death.push_back(UINT64_MAX);
            size.push_back(random() % 400);
            alignment.push_back(random() % 8 == 0 ? 64 : 0);
            accesses.push_back(random() % 50);
        }
    }
    Timeline timeline(unsigned generations) const {
        return form_timeline({birth, death, size, alignment, accesses}, 4096, generations);
    }

    std::vector<uint64_t> birth, death, size, accesses;
    std::vector<uint32_t> alignment;
    std::vector<size_t> living;
};

TEST(Placement, NoTwoLivingRequestsOverlap) {
    for (unsigned seed = 0; seed < 20; ++seed) {
        for (const LineRule lines : {LineRule::packed, LineRule::unbroken, LineRule::separate}) {
            const Timeline timeline = Requests(seed).timeline(seed % 5);
            EXPECT_TRUE(is_valid(timeline, place_in_order(timeline, {}, {lines, 64})));
        }
    }
}

TEST(Placement, AnOverlapAndAMissingPlaceAreSeen) {
    const Timeline timeline = Requests(1).timeline(1);
    const Placement placement = place_in_order(timeline, {}, {});
    Placement overlapping = placement, missing = placement, beyond = placement;
    const uint32_t first = timeline.events[0] / 2, second = timeline.events[1] / 2;
    ASSERT_EQ(timeline.events[0] % 2 + timeline.events[1] % 2, 0U) << "both live";
    overlapping.offset[second] = overlapping.offset[first];
    missing.offset[second] = -1;
    beyond.arena_bytes -= 16;
    EXPECT_FALSE(is_valid(timeline, overlapping));
    EXPECT_FALSE(is_valid(timeline, missing));
    EXPECT_FALSE(is_valid(timeline, beyond));
}

#if defined(MALLOOM_CHECKED)
// A seeded fault: what ends twice is given back twice.
TEST(PlacementDeathTest, WhatIsGivenBackTwiceIsAFault) {
    Timeline timeline = Requests(1).timeline(1);
    uint64_t last = timeline.events.size() - 1;
    while (timeline.events[last] % 2 == 0) {
        --last;
    }
    ASSERT_GT(last, timeline.pivot);
    timeline.events.push_back(timeline.events[last]);
    timeline.adjacent.push_back(false);
    EXPECT_DEATH(place_in_order(timeline, {}, {}), "malloom: fault of malloom's own: sweep.cpp:.*is_valid");
}

// A seeded fault: what lives is begun once more instead of being ended.
TEST(PlacementDeathTest, WhatBeginsTwiceIsAFault) {
    Timeline timeline = Requests(1).timeline(1);
    uint64_t last = timeline.events.size() - 1;
    while (timeline.events[last] % 2 == 0) {
        --last;
    }
    ASSERT_GT(last, timeline.pivot);
    --timeline.events[last];
    EXPECT_DEATH(place_in_order(timeline, {}, {}),
                 "malloom: fault of malloom's own: placement.cpp:.*is_valid.timeline, placement");
}
#endif

}  // namespace
}  // namespace malloom::native
