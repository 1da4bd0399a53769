// The entries that the optimiser redirects calls to, called as the redirected calls would.
#include "runtime/front/dynamic_entries.h"

#include <gtest/gtest.h>
#include <malloc.h>

#include <cstdlib>
#include <cstring>

namespace malloom::tests {
namespace {

using front::DynamicSite;
using front::SiteState;

TEST(DynamicEntries, AMonitorCountsRequestsOfOneSize) {
    DynamicSite site{};
    for (int i = 0; i < 10; ++i) {
        free(malloom_monitored_malloc(48, &site));
    }
    EXPECT_EQ(site.bytes, 48u);
    EXPECT_EQ(site.agreeing, 10u);
    free(malloom_monitored_calloc(4, 16, &site));
    EXPECT_EQ(site.bytes, 64u);
    EXPECT_EQ(site.agreeing, 1u);
}

TEST(DynamicEntries, APooledSiteHasItsChunksInARow) {
    DynamicSite site{};
    site.state = SiteState::pooled;
    auto* last = static_cast<char*>(malloom_pool_malloc(48, &site));
    int in_a_row = 0;
    for (int i = 0; i < 64; ++i) {
        auto* object = static_cast<char*>(malloom_pool_new(48, &site));
        in_a_row += object == last + 48;
        last = object;
    }
    EXPECT_GE(in_a_row, 62);
    EXPECT_EQ(site.pool_bytes, 48u);
}

TEST(DynamicEntries, FreedChunksComeBackZeroedByCalloc) {
    DynamicSite site{};
    site.state = SiteState::pooled;
    void* object = malloom_pool_realloc(nullptr, 64, &site);
    memset(object, 7, 64);
    free(object);
    auto* zeroed = static_cast<char*>(malloom_pool_calloc(8, 8, &site));
    EXPECT_EQ(zeroed, object);
    EXPECT_EQ(zeroed[63], 0);
    auto* moved = static_cast<char*>(malloom_pool_realloc(zeroed, 4000, &site));
    EXPECT_GE(malloc_usable_size(moved), 4000u);
    free(moved);
}

TEST(DynamicEntries, OtherSizesAreServedPlainlyAndCounted) {
    DynamicSite site{};
    site.state = SiteState::pooled;
    free(malloom_pool_malloc(48, &site));
    for (int i = 0; i < 600; ++i) {
        void* object = malloom_pool_malloc(80, &site);
        ASSERT_NE(object, nullptr);
        free(object);
    }
    EXPECT_EQ(site.disagreeing, 600u);
    EXPECT_EQ(site.pool_bytes, 48u);
    EXPECT_EQ(malloom_pool_calloc(SIZE_MAX, 2, &site), nullptr);
}

}  // namespace
}  // namespace malloom::tests
