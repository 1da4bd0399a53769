// Objects of one structure with their fields in other places, as if its source had been changed.
#pragma once

#include <stdint.h>

#include <span>
#include <stdexcept>
#include <vector>

#include "src/native/accesses/source.h"
#include "src/native/simulation/addresses.h"

namespace malloom::native {

/// Where the bytes of some requests' objects go: into a first object, and where the structure is split, into
/// a second one. An access goes where its first byte goes, whole.
struct MovedFields {
    std::vector<uint32_t> second;  ///< per request the granule of its second object; unplaced: it stays whole
    std::vector<uint32_t> places;  ///< per byte of such an object its offset in the first, or behind it, as
                                   ///< if they were one, in the second
    uint64_t first_bytes = 0;
    uint64_t second_bytes = 0;

    bool moves(uint32_t request) const {
        return !second.empty() && second[request] != SimulatedAddresses::unplaced;
    }

    /// Of an access to a request that moves, whose first object begins at `first`. What lies behind the
    /// structure is as far behind the first object.
    uint64_t address(const SimulatedAddresses& addresses, uint64_t first,
                     const ResolvedAccess& access) const {
        const uint64_t offset = access.offset();
        if (offset >= places.size()) {
            return first + offset;
        }
        const uint32_t place = places[offset];
        return place < first_bytes
                   ? first + place
                   : addresses.address(access.request, second[access.request]) + (place - first_bytes);
    }

    /// Throws std::invalid_argument where a place lies outside of both objects, or requests differ in number.
    void check(size_t requests) const {
        if (second.size() != requests) {
            throw std::invalid_argument("moved fields have another number of requests than the profile");
        }
        for (const uint32_t place : places) {
            if (place >= first_bytes + second_bytes) {
                throw std::invalid_argument("a field is moved outside of its object");
            }
        }
    }
};

}  // namespace malloom::native
