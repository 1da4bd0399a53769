// The field types of the .def files. Little-endian on disk; hosts of the other order are not supported.
#pragma once

#include <stdint.h>

namespace malloom::formats {

using u8 = uint8_t;
using u16 = uint16_t;
using u32 = uint32_t;
using u64 = uint64_t;
using i32 = int32_t;
struct c32 {
    char bytes[32];
};

static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "profiles and plans are little-endian");

/// A magic number from the bytes it has on disk.
template <unsigned n>
constexpr u64 magic_of(const char (&text)[n]) {
    u64 value = 0;
    for (unsigned i = 0; i + 1 < n; ++i) value |= static_cast<u64>(static_cast<u8>(text[i])) << (8 * i);
    return value;
}

}  // namespace malloom::formats
