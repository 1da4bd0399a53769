// Seeded faults in what is known of call sites.
#include "runtime/front/sites.h"

#include <gtest/gtest.h>

namespace malloom::tests {
namespace {

using front::process_heaps;
using front::Site;
using front::Sites;

constinit Sites sites;

class SitesDeathTest : public testing::Test {
  protected:
    SitesDeathTest() {
        EXPECT_TRUE(sites.open(nullptr, {true, false, true, false}));
        client = process_heaps.pools.heap.common(16);
    }
    ~SitesDeathTest() override { process_heaps.pools.close(); }

    uint32_t client = heaps::PoolHeap::none;
};

TEST_F(SitesDeathTest, ChunksThatAreTooSmallAreNotHandedOut) {
    Site& site = sites.at(0x1000);
    EXPECT_NE(sites.allocate_pooled_slow(site, {16, client}), nullptr);
    EXPECT_DEATH(sites.allocate_pooled_slow(site, {64, client}),
                 "malloom: fault of malloom's own: sites.cpp:.*has_room.pool");
}

#if defined(MALLOOM_CHECKED)
TEST_F(SitesDeathTest, ASiteThatIsFoundAgainIsStillWhole) {
    sites.at(0x3000).pooled.set({64, client});
    sites.at(0x3000 + 1024);  // takes its place among those met lately
    EXPECT_DEATH(sites.at(0x3000), "malloom: fault of malloom's own: sites.cpp:.*is_valid.entry.value");
}

TEST_F(SitesDeathTest, WrappersOfASiteAreNoRing) {
    Site& site = sites.at(0x2000);
    EXPECT_TRUE(Sites::is_valid(site));
    site.below = &site;
    EXPECT_FALSE(Sites::is_valid(site));
    site.below = nullptr;
    site.pooled.set({64, client});
    EXPECT_FALSE(Sites::is_valid(site));
}
#endif

}  // namespace
}  // namespace malloom::tests
