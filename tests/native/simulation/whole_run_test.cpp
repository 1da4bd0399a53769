#include "src/native/simulation/whole_run.h"

#include <gtest/gtest.h>

#include "src/native/simulation/compact_addresses.h"

namespace malloom::native {
namespace {

class Loads : public AddressSource {
  public:
    explicit Loads(const std::vector<uint64_t>& addresses) {
        for (const uint64_t address : addresses)
            loads_.push_back({address | uint64_t{3} << AddressedAccess::size_shift});
    }
    std::span<const AddressedAccess> next_batch() override {
        return std::exchange(is_done_, true) ? std::span<const AddressedAccess>{} : loads_;
    }

  private:
    std::vector<AddressedAccess> loads_;
    bool is_done_ = false;
};

TEST(WholeRun, CountsLinesPagesAndMissesOfEveryMachine) {
    Loads loads({0x7f00'0000'0000, 0x7f00'0000'0008, 0x1000, 0x7f00'0000'0040, 0x7f00'0000'0000});
    const std::vector<Geometry> machines{{{{1, 1, 64}}, {{1, 4, 4096}}}, {{{1, 4, 128}}, {}}};
    const WholeRun run = simulate_run(loads, machines, {}, [] {});
    EXPECT_EQ(run.accesses, 5u);
    EXPECT_EQ(run.lines, 3u);
    EXPECT_EQ(run.pages, 2u);
    ASSERT_EQ(run.machines.size(), 2u);
    EXPECT_EQ(run.machines[0][0].misses, 4u);
    EXPECT_EQ(run.machines[0][1].misses, 2u);
    EXPECT_EQ(run.machines[1][0].misses, 2u);
}

TEST(WholeRun, PassesThroughPrefetchers) {
    Loads loads({0, 128, 256});
    const std::vector<std::pair<CacheShape, CacheShape>> prefetchers{{{128, 2, 128}, {1440, 8, 128}}};
    const WholeRun run = simulate_run(loads, {}, prefetchers, [] {});
    ASSERT_EQ(run.prefetchers.size(), 1u);
    EXPECT_EQ(run.prefetchers[0].streams, 1u);
}

TEST(CompactAddresses, KeepWhatLiesInARegionAndLeaveOutGaps) {
    CompactAddresses compact;
    EXPECT_EQ(compact(0x7f12'3456'7890), 0x56'7890u);
    EXPECT_EQ(compact(0x10), (uint64_t{1} << 24) + 0x10);
    EXPECT_EQ(compact(0x7f12'3400'0001), 1u);
}

TEST(CompactAddresses, RefuseWhatNoLineNumberCanName) {
    CompactAddresses compact;
    for (uint64_t region = 0; region < CompactAddresses::most_regions; ++region)
        compact(region << CompactAddresses::region_shift);
    EXPECT_THROW(compact(CompactAddresses::most_regions << CompactAddresses::region_shift),
                 std::length_error);
}

}  // namespace
}  // namespace malloom::native
