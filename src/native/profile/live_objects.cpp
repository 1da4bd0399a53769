#include "src/native/profile/live_objects.h"

namespace malloom::native {

namespace {

constexpr unsigned granule_shift = 4;
constexpr uint64_t granule_bytes = uint64_t{1} << granule_shift;

uint64_t end_of(const Extent& extent) {
    return extent.address + std::max<uint64_t>(extent.size, 1);
}
uint64_t first_granule(const Extent& extent) {
    return extent.address >> granule_shift;
}
uint64_t last_granule(const Extent& extent) {
    return (end_of(extent) - 1) >> granule_shift;
}
bool apart(const Extent& a, const Extent& b) {
    return end_of(a) <= b.address || end_of(b) <= a.address;
}

}  // namespace

LiveObjects::Birth LiveObjects::allocate(Extent extent) {
    const auto request = static_cast<uint32_t>(extents_.size());
    const uint32_t displaced = find(extent.address);
    if (displaced != none) remove(displaced);
    extents_.push_back(extent);
    share(first_granule(extent), extent);
    share(last_granule(extent), extent);
    map_.insert(request, extent);
    return {request, displaced};
}

uint32_t LiveObjects::release(uint64_t address) {
    const uint32_t request = find(address);
    if (request == none || extents_[request].address != address) return none;
    remove(request);
    return request;
}

uint32_t LiveObjects::find_neighbour(uint64_t address) const {
    const auto found = neighbours_.find(address >> granule_shift);
    return found != neighbours_.end() && contains(found->second, address) ? found->second : none;
}

/// Keeps who lives in the granule beside what will live at `extent`.
void LiveObjects::share(uint64_t granule, const Extent& extent) {
    const uint32_t holder = map_.find(granule << granule_shift);
    if (holder != none && apart(extents_[holder], extent)) neighbours_[granule] = holder;
}

void LiveObjects::remove(uint32_t request) {
    const Extent extent = extents_[request];
    if (neighbours_.empty()) {
        map_.erase(extent);
        return;
    }
    const uint64_t granules[] = {first_granule(extent), last_granule(extent)};
    uint32_t others[2];
    for (int i = 0; i < 2; ++i) {
        others[i] = map_.find(granules[i] << granule_shift);
        const auto neighbour = neighbours_.find(granules[i]);
        if (others[i] == request) others[i] = neighbour != neighbours_.end() ? neighbour->second : none;
    }
    map_.erase(extent);
    for (int i = 0; i < 2; ++i) {
        neighbours_.erase(granules[i]);
        if (others[i] != none) map_.insert(others[i], {granules[i] << granule_shift, granule_bytes});
    }
}

}  // namespace malloom::native
