#include "src/native/live_objects.h"

namespace malloom::native {

LiveObjects::Birth LiveObjects::allocate(Extent extent) {
    const auto request = static_cast<uint32_t>(extents_.size());
    const uint32_t displaced = map_.find(extent.address);
    if (displaced != none) map_.erase(extents_[displaced]);
    extents_.push_back(extent);
    map_.insert(request, extent);
    return {request, displaced};
}

uint32_t LiveObjects::release(uint64_t address) {
    const uint32_t request = map_.find(address);
    if (request == none || extents_[request].address != address) return none;
    map_.erase(extents_[request]);
    return request;
}

}  // namespace malloom::native
