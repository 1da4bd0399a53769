#include "src/native/profile/object_map.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <vector>

#include "tests/native/profile/reading.h"

namespace malloom::native {
namespace {

/// The same by a list of what lies where, a granule at a time.
class PlainMap {
  public:
    void set(Extent extent, uint32_t request) {
        const uint64_t last = (extent.address + std::max<uint64_t>(extent.size, 1) + 15) / 16;
        for (uint64_t granule = extent.address / 16; granule < last; ++granule) granules_[granule] = request;
    }
    uint32_t find(uint64_t address) const {
        const auto found = granules_.find(address / 16);
        return found == granules_.end() ? ObjectMap::none : found->second;
    }

  private:
    std::map<uint64_t, uint32_t> granules_;
};

TEST(ObjectMap, KnowsNothingAtFirst) {
    const ObjectMap map;
    EXPECT_EQ(map.find(0), ObjectMap::none);
    EXPECT_EQ(map.find(0x7fffffffffffULL), ObjectMap::none);
    EXPECT_EQ(map.find(~uint64_t{0}), ObjectMap::none);
}

TEST(ObjectMap, AgreesWithAPlainMap) {
    std::mt19937_64 random(1);
    ObjectMap map;
    PlainMap plain;
    const uint64_t base = (uint64_t{1} << 40) - (1 << 20);  // so that objects cross a region's end
    for (uint32_t request = 0; request < 3000; ++request) {
        // Small objects, and now and then one of many pages; they overwrite each other as lost releases
        // would.
        const uint64_t size = random() % 10 == 0 ? random() % 40000 : random() % 300;
        const Extent extent{base + (random() % (1 << 17)) * 16, size};
        if (random() % 3 == 0) {
            map.erase(extent);
            plain.set(extent, ObjectMap::none);
        } else {
            map.insert(request, extent);
            plain.set(extent, request);
        }
        for (int probe = 0; probe < 20; ++probe) {
            const uint64_t address = base + random() % (1 << 21);
            ASSERT_EQ(map.find(address), plain.find(address)) << std::hex << address;
        }
    }
}

TEST(ObjectMap, HoldsAnObjectLargerThanARegion) {
    ObjectMap map;
    const Extent extent{0x10000010, uint64_t{40} << 20};
    map.insert(7, extent);
    EXPECT_EQ(map.find(extent.address), 7u);
    EXPECT_EQ(map.find(extent.address - 16), ObjectMap::none);
    EXPECT_EQ(map.find(extent.address + extent.size / 2), 7u);
    EXPECT_EQ(map.find(extent.address + extent.size - 1), 7u);
    EXPECT_EQ(map.find(extent.address + extent.size), ObjectMap::none);
    map.erase(extent);
    EXPECT_EQ(map.find(extent.address + extent.size / 2), ObjectMap::none);
}

TEST(ObjectMap, AgreesWithAPlainMapOnObjectsLargerThanRegions) {
    constexpr uint64_t cells = 1024, cell_bytes = 64 << 10, base = uint64_t{1} << 40;
    std::mt19937_64 random(2);
    ObjectMap map;
    std::vector<uint32_t> plain(cells, ObjectMap::none);
    for (uint32_t request = 0; request < 3000; ++request) {
        const uint64_t first = random() % cells;
        const uint64_t count = 1 + random() % std::min(cells - first, random() % 4 == 0 ? cells : 100);
        const Extent extent{base + first * cell_bytes, count * cell_bytes};
        const bool gone = random() % 3 == 0;
        if (gone) {
            map.erase(extent);
        } else {
            map.insert(request, extent);
        }
        std::fill_n(plain.begin() + static_cast<ptrdiff_t>(first), count, gone ? ObjectMap::none : request);
        for (uint64_t cell = 0; cell < cells; ++cell)
            ASSERT_EQ(map.find(base + cell * cell_bytes + random() % cell_bytes), plain[cell]) << cell;
    }
}

TEST(ObjectMap, TakesLittleForAnObjectOfAnySize) {
    ObjectMap map;
    const uint64_t before = resident_pages();
    const Extent extent{0x1000, uint64_t{1} << 42};
    map.insert(7, extent);
    EXPECT_EQ(map.find(extent.address), 7u);
    EXPECT_EQ(map.find(extent.address + extent.size / 3), 7u);
    EXPECT_EQ(map.find(extent.address + extent.size - 1), 7u);
    EXPECT_EQ(map.find(extent.address + extent.size), ObjectMap::none);
    map.insert(8, {uint64_t{1} << 41, 16});
    EXPECT_EQ(map.find(uint64_t{1} << 41), 8u);
    EXPECT_EQ(map.find((uint64_t{1} << 41) + 16), 7u);
    map.erase(extent);
    EXPECT_EQ(map.find(extent.address + extent.size / 3), ObjectMap::none);
    // A million regions of 8 bytes each, and what a sanitizer adds; with a page of their own, 4 GiB.
    EXPECT_LT(resident_pages() - std::min(before, resident_pages()), 16384u);
}

}  // namespace
}  // namespace malloom::native
