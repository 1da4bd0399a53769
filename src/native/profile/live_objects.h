// The objects of a process while its events go by: numbers the requests and knows who lives where.
#pragma once

#include <stdint.h>

#include <algorithm>
#include <unordered_map>
#include <vector>

#include "src/native/profile/object_map.h"

namespace malloom::native {

/// Requests are numbered from 0 in the order of their events; every pass over the same events numbers them
/// alike.
class LiveObjects {
  public:
    static constexpr uint32_t none = ObjectMap::none;

    struct Birth {
        uint32_t request;
        uint32_t displaced;  ///< whose object was still thought to live there (its release was lost), or none
    };

    explicit LiveObjects(uint64_t expected_requests) { extents_.reserve(expected_requests); }

    Birth allocate(Extent extent);

    /// The request whose object began at `address`, which is gone now; none where nobody's did.
    uint32_t release(uint64_t address);

    /// The request whose object has the byte at `address`, or none.
    uint32_t find(uint64_t address) const {
        const uint32_t request = map_.find(address);
        if (request != none && contains(request, address)) return request;
        return neighbours_.empty() ? none : find_neighbour(address);
    }

    /// The request in whose granule `address` lies, or none, without the check that the object reaches that
    /// far; and the memory for that check is asked for. With prefetch and contains, many look-ups overlap
    /// where one by one would wait.
    uint32_t guess(uint64_t address) const {
        const uint32_t request = map_.find(address);
        if (request != none) __builtin_prefetch(&extents_[request]);
        return request;
    }
    void prefetch(uint64_t address) const { map_.prefetch(address); }
    /// An object of no bytes has its address.
    bool contains(uint32_t request, uint64_t address) const {
        return address - extents_[request].address < std::max<uint64_t>(extents_[request].size, 1);
    }

    /// Whether some granule belongs to two objects, so that where a guess was wrong find() may still succeed.
    bool shares_granules() const { return !neighbours_.empty(); }

    const Extent& extent(uint32_t request) const { return extents_[request]; }

  private:
    uint32_t find_neighbour(uint64_t address) const;
    void share(uint64_t granule, const Extent& extent);
    void remove(uint32_t request);

    std::vector<Extent> extents_;
    ObjectMap map_;
    /// Some allocators give objects of 8 bytes half a granule each: by granule, the object that the map does
    /// not name. Empty with other allocators.
    std::unordered_map<uint64_t, uint32_t> neighbours_;
};

}  // namespace malloom::native
