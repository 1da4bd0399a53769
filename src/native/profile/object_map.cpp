#include "src/native/profile/object_map.h"

#include <sys/mman.h>

#include <algorithm>
#include <new>

namespace malloom::native {

namespace {

void* map_zeroed(size_t bytes) {
    void* memory =
        mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) throw std::bad_alloc();
    // Huge pages would make sparse tables dense.
    madvise(memory, bytes, MADV_NOHUGEPAGE);
    return memory;
}

constexpr size_t roots_bytes = (size_t{1} << (48 - 22)) * sizeof(void*);

}  // namespace

ObjectMap::ObjectMap() : roots_(static_cast<Region**>(map_zeroed(roots_bytes))) {}

ObjectMap::~ObjectMap() {
    for (Region* region : regions_) munmap(region, sizeof(Region));
    munmap(roots_, roots_bytes);
}

ObjectMap::Region* ObjectMap::new_region() {
    if (spare_.empty()) {
        regions_.push_back(static_cast<Region*>(map_zeroed(sizeof(Region))));
        return regions_.back();
    }
    Region* const region = spare_.back();
    spare_.pop_back();
    return region;
}

void ObjectMap::leave(Region*& root) {
    if (root == nullptr) return;
    if (--root->roots == 0) {
        madvise(root, sizeof(Region), MADV_DONTNEED);
        spare_.push_back(root);
    }
    root = nullptr;
}

/// The region of `address`, and of no other root, so that its entries may be changed.
ObjectMap::Region& ObjectMap::region_of(uint64_t address) {
    Region*& root = roots_[(address & address_mask) >> region_shift];
    if (root != nullptr && root->roots == 1) return *root;
    Region* const shared = root;
    root = new_region();
    root->roots = 1;
    if (shared != nullptr) {
        std::copy_n(shared->pages, pages_per_region, root->pages);
        --shared->roots;
    }
    return *root;
}

void ObjectMap::split_page(Region& region, uint64_t page) {
    const uint32_t entry = region.pages[page];
    if (entry == 0) return;
    std::fill_n(&region.granules[page * granules_per_page], granules_per_page, entry);
    region.has_granules[page] = true;
    region.pages[page] = 0;
}

/// Whole regions, from the one of granule `first` to before that of granule `last`.
void ObjectMap::fill_regions(uint64_t first, uint64_t last, uint32_t entry) {
    Region* whole = nullptr;
    for (uint64_t number = first / granules_per_region; number < last / granules_per_region; ++number) {
        leave(roots_[number]);
        if (entry == 0) continue;
        if (whole == nullptr) {
            whole = new_region();
            std::fill_n(whole->pages, pages_per_region, entry);
        }
        roots_[number] = whole;
        ++whole->roots;
    }
}

void ObjectMap::fill_page(uint64_t granule, uint32_t entry) {
    Region& region = region_of(granule << granule_shift);
    const uint64_t begin = granule & (granules_per_region - 1);
    const uint64_t page = begin / granules_per_page;
    if (region.has_granules[page]) std::fill_n(&region.granules[begin], granules_per_page, 0u);
    region.has_granules[page] = false;
    region.pages[page] = entry;
}

void ObjectMap::fill_granules(uint64_t first, uint64_t last, uint32_t entry) {
    Region& region = region_of(first << granule_shift);
    const uint64_t begin = first & (granules_per_region - 1);
    const uint64_t page = begin / granules_per_page;
    split_page(region, page);
    region.has_granules[page] |= entry != 0;
    std::fill(&region.granules[begin], &region.granules[begin] + (last - first), entry);
}

void ObjectMap::fill(Extent extent, uint32_t entry) {
    const uint64_t begin = extent.address & address_mask;
    const uint64_t end = std::min(begin + std::max<uint64_t>(extent.size, 1), address_mask + 1);
    uint64_t granule = begin >> granule_shift;
    const uint64_t last = (end + 15) >> granule_shift;
    while (granule < last) {
        if (granule % granules_per_region == 0 && last - granule >= granules_per_region) {
            fill_regions(granule, last, entry);
            granule = last / granules_per_region * granules_per_region;
            continue;
        }
        const uint64_t page_end = std::min(last, (granule / granules_per_page + 1) * granules_per_page);
        if (page_end - granule == granules_per_page) {
            fill_page(granule, entry);
        } else {
            fill_granules(granule, page_end, entry);
        }
        granule = page_end;
    }
}

void ObjectMap::insert(uint32_t request, Extent extent) {
    fill(extent, request + 1);
}

void ObjectMap::erase(Extent extent) {
    fill(extent, 0);
}

}  // namespace malloom::native
