#include "src/native/profile/live_objects.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

namespace malloom::native {
namespace {

// Objects at any multiple of 8, against a map of bytes: two may share a granule of 16.
TEST(LiveObjects, KnowsNeighboursInOneGranuleApart) {
    std::mt19937_64 random(7);
    LiveObjects objects(0);
    std::map<uint64_t, std::pair<uint32_t, uint64_t>> alive;  // by address: request and size
    const auto owner = [&alive](uint64_t address) {
        auto after = alive.upper_bound(address);
        if (after == alive.begin()) return LiveObjects::none;
        const auto& [start, object] = *--after;
        return address - start < object.second ? object.first : LiveObjects::none;
    };
    const auto vacant = [&owner](uint64_t address, uint64_t size) {
        for (uint64_t i = 0; i < size; i += 8)
            if (owner(address + i) != LiveObjects::none) return false;
        return true;
    };
    for (int step = 0; step < 100000; ++step) {
        const uint64_t address = 0x10000 + random() % 1500 * 8;
        const uint64_t size = random() % 50 == 0 ? 8 + random() % 600 * 8 : 8 + random() % 4 * 8;
        if (const auto found = alive.find(address); found != alive.end()) {
            ASSERT_EQ(objects.release(address), found->second.first);
            alive.erase(found);
        } else if (vacant(address, size)) {
            const LiveObjects::Birth birth = objects.allocate({address, size});
            ASSERT_EQ(birth.displaced, LiveObjects::none);
            alive[address] = {birth.request, size};
        }
        const uint64_t probe = 0x10000 + random() % (1500 * 8);
        ASSERT_EQ(objects.find(probe), owner(probe));
    }
    EXPECT_TRUE(objects.shares_granules());
}

TEST(LiveObjects, ALostReleaseEndsALife) {
    LiveObjects objects(0);
    objects.allocate({0x1000, 64});
    EXPECT_EQ(objects.allocate({0x1000, 0}).displaced, 0u);
    EXPECT_EQ(objects.allocate({0x1000, 8}).displaced, 1u);
    EXPECT_EQ(objects.release(0x1000), 2u);
    EXPECT_EQ(objects.release(0x1000), LiveObjects::none);
}

}  // namespace
}  // namespace malloom::native
