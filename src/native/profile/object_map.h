// From an address to the request whose object lies there, at the moment of the access.
#pragma once

#include <stdint.h>

#include <memory>
#include <vector>

namespace malloom::native {

/// Where a request's object lay while it was recorded.
struct Extent {
    uint64_t address;  ///< bytes
    uint64_t size;     ///< bytes, as requested
};

/// The objects that are alive. The address space is divided into regions of 4 MiB; a region holds a number
/// for each 4 KiB page that one object fills, and a number for each granule of 16 bytes elsewhere, so that a
/// lookup is two loads, and a large object costs a write per page. Regions that one object fills are one, to
/// which several roots lead: they cost 8 bytes each. Memory: a quarter of the heap's at most. Not
/// thread-safe.
class ObjectMap {
  public:
    static constexpr uint32_t none = 0xffffffffu;

    ObjectMap();
    ObjectMap(const ObjectMap&) = delete;
    ObjectMap& operator=(const ObjectMap&) = delete;
    ~ObjectMap();

    /// The object of `request` lives at `extent` from now on; what lived there before is gone there.
    void insert(uint32_t request, Extent extent);

    /// The object at `extent` is gone.
    void erase(Extent extent);

    /// The request whose object has a byte in the granule of `address`, or `none`.
    uint32_t find(uint64_t address) const {
        const Region* region = roots_[(address & address_mask) >> region_shift];
        if (region == nullptr) return none;
        const uint32_t page = region->pages[(address >> page_shift) & (pages_per_region - 1)];
        if (page != 0) return page - 1;
        return region->granules[(address >> granule_shift) & (granules_per_region - 1)] - 1;
    }

    /// Asks for the memory that find(address) will read.
    void prefetch(uint64_t address) const {
        const Region* region = roots_[(address & address_mask) >> region_shift];
        if (region == nullptr) return;
        __builtin_prefetch(&region->granules[(address >> granule_shift) & (granules_per_region - 1)]);
    }

  private:
    static constexpr uint64_t address_mask = (uint64_t{1} << 48) - 1;
    static constexpr unsigned region_shift = 22;
    static constexpr unsigned page_shift = 12;
    static constexpr unsigned granule_shift = 4;
    static constexpr uint64_t pages_per_region = uint64_t{1} << (region_shift - page_shift);
    static constexpr uint64_t granules_per_region = uint64_t{1} << (region_shift - granule_shift);
    static constexpr uint64_t granules_per_page = uint64_t{1} << (page_shift - granule_shift);

    /// Entries are the request's number + 1; 0: no object. Mapped, so untouched parts cost nothing.
    struct Region {
        uint32_t pages[pages_per_region];
        uint32_t granules[granules_per_region];
        bool has_granules[pages_per_region];  ///< false: the granules of the page are all 0
        uint32_t roots;                       ///< that are this region; several where one object fills them
    };

    void fill(Extent extent, uint32_t entry);
    void fill_regions(uint64_t first, uint64_t last, uint32_t entry);
    void fill_page(uint64_t granule, uint32_t entry);
    void fill_granules(uint64_t first, uint64_t last, uint32_t entry);
    void split_page(Region& region, uint64_t page);
    Region& region_of(uint64_t address);
    Region* new_region();
    void leave(Region*& root);

    Region** roots_;
    std::vector<Region*> regions_;
    std::vector<Region*> spare_;  ///< those of no root, all zero
};

}  // namespace malloom::native
