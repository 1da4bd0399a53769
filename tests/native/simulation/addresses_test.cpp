#include "src/native/simulation/addresses.h"

#include <gtest/gtest.h>

#include <stdexcept>

namespace malloom::native {
namespace {

constexpr uint64_t region_bytes = uint64_t{2} << 20;
constexpr uint64_t most_regions = SimulatedAddresses::arena_start / region_bytes;

using Column = std::vector<uint64_t>;

TEST(SimulatedAddresses, LeaveOutWhatLiesBetweenRegions) {
    const SimulatedAddresses addresses(Column{0x7000'0000'0040, 0x1000'0080}, Column{64, 3 * region_bytes});
    EXPECT_EQ(addresses.address(1, SimulatedAddresses::unplaced), 0x80u);
    EXPECT_EQ(addresses.address(0, SimulatedAddresses::unplaced), 4 * region_bytes + 0x40);
}

TEST(SimulatedAddresses, HaveRoomFor64GiB) {
    EXPECT_NO_THROW(SimulatedAddresses(Column{0}, Column{SimulatedAddresses::arena_start}));
    EXPECT_THROW(SimulatedAddresses(Column{0}, Column{SimulatedAddresses::arena_start + 1}),
                 std::length_error);
    Column places;
    for (uint64_t i = 0; i < most_regions; ++i) places.push_back(2 * i * region_bytes);
    EXPECT_NO_THROW(SimulatedAddresses(places, Column(places.size(), 16)));
    places.push_back(region_bytes);
    EXPECT_THROW(SimulatedAddresses(places, Column(places.size(), 16)), std::length_error);
}

// Of each region a number would be kept: 256 MiB for the first of these.
TEST(SimulatedAddresses, RefuseAHugeObjectAtOnce) {
    for (const uint64_t size : {uint64_t{1} << 46, uint64_t{1} << 62, ~uint64_t{0}})
        EXPECT_THROW(SimulatedAddresses(Column{4096}, Column{size}), std::length_error);
    EXPECT_THROW(SimulatedAddresses(Column{~uint64_t{0} - 16}, Column{64}), std::length_error);
}

}  // namespace
}  // namespace malloom::native
