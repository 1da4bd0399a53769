#include "src/native/profile/object_map.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

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

}  // namespace
}  // namespace malloom::native
