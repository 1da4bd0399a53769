// The accesses of a piece of straight-line code, known before it runs: relative to base addresses that only a
// run knows.
#pragma once

#include <stdint.h>

namespace malloom::stream {

/// One load or store of a shape.
struct ShapedAccess {
    int32_t offset;  ///< bytes from the base
    uint8_t base;    ///< index of the base
    uint8_t tag;     ///< bits 0-3 log2 of the size in bytes, bit 4 store: bits 48-52 of the entry

    bool operator==(const ShapedAccess&) const = default;
};

/// Accesses in program order over `bases` addresses, in the order in which they are first used.
struct AccessShape {
    static constexpr unsigned most_bases = 64;
    static constexpr unsigned most_accesses = 256;

    uint32_t id;          ///< names the shape to encoders
    uint32_t first_slot;  ///< shapes' bases are numbered through: this is the number of its base 0
    uint16_t bases;
    uint16_t count;
    const ShapedAccess* accesses;
    const int32_t* first_offsets;  ///< of every base, the offset of the first access that uses it
};

/// The entry (see AccessKind in formats/profile.def) of an access.
inline uint64_t entry_of(const ShapedAccess& access, uint64_t base) {
    constexpr uint64_t address_mask = (uint64_t{1} << 48) - 1;
    return ((base + static_cast<uint64_t>(static_cast<int64_t>(access.offset))) & address_mask) |
           uint64_t{access.tag} << 48;
}

}  // namespace malloom::stream
