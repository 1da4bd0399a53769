// Sites that are left alone where requests are matched by chains.
#include <gtest/gtest.h>

#include "runtime/context/modules.h"
#include "runtime/front/sites.h"
#include "tests/runtime/heaps/plan/plan_builder.h"

namespace malloom::tests {
namespace {

using front::Site;
using front::Sites;

// Of this program, as chains through what is no module's have one hash.
const uintptr_t call = reinterpret_cast<uintptr_t>(&context::stable_hash);
const uintptr_t planned[] = {call, call + 1};
const uintptr_t other[] = {call, call + 2};

constinit Sites sites;
constinit Sites counted_sites;

class LeftSites : public testing::Test {
  protected:
    LeftSites() {
        PlanBuilder builder(0);
        builder.header.depth = 2;
        builder.groups.push_back({4096, 4096, 4096, 0});
        builder.add_context(context::stable_hash(planned, 2), {}, 0);
        size_t bytes = 0;
        image = builder.build(bytes);
        EXPECT_TRUE(plan.open(reinterpret_cast<const unsigned char*>(image.data()), bytes)) << plan.problem();
        EXPECT_FALSE(front::process_heaps.plan.open(plan)) << "it has no arena";
    }
    ~LeftSites() override { front::process_heaps.plan.close(); }

    std::vector<uint64_t> image;
    heaps::PlanFile plan;
};

TEST_F(LeftSites, AreFoundAtOnceUntilTheirChainsAreLookedForAgain) {
    ASSERT_TRUE(
        sites.open(&plan, {.learns = false, .colocates = false, .is_fast = false, .may_leave = true}));
    sites.of_chain(other, 2);
    Site& site = sites.at(call);
    EXPECT_EQ(sites.find_fast(call), nullptr);
    sites.leave(site);
    EXPECT_EQ(sites.find_fast(call), &site);
    EXPECT_EQ(&sites.at(call), &site);
    sites.return_to_left();
    EXPECT_EQ(sites.find_fast(call), nullptr);
    EXPECT_EQ(&sites.at(call), &site);

    // One of its chains has a place now.
    EXPECT_TRUE(Sites::has_place(sites.of_chain(planned, 2).value));
    sites.leave(site);
    EXPECT_EQ(sites.find_fast(call), nullptr);
    EXPECT_TRUE(site.was_looked_at) << "once is enough";
}

TEST_F(LeftSites, AreNotWhereRequestsAreCounted) {
    ASSERT_TRUE(counted_sites.open(&plan, {}));
    Site& site = counted_sites.at(call);
    counted_sites.leave(site);
    EXPECT_EQ(counted_sites.find_fast(call), nullptr);
}

}  // namespace
}  // namespace malloom::tests
