// Variable-length integers: seven bits a byte, lowest first, the top bit saying that more follow. At most 10
// bytes.
#pragma once

#include <stdint.h>

namespace malloom::stream {

inline constexpr unsigned max_varint_bytes = 10;

inline unsigned char* put_varint(unsigned char* out, uint64_t value) {
    while (value >= 0x80) {
        *out++ = static_cast<unsigned char>(value | 0x80);
        value >>= 7;
    }
    *out++ = static_cast<unsigned char>(value);
    return out;
}

/// Reads one integer from [in, end) and returns the byte after it, or nullptr when it is cut or longer than
/// 64 bits.
inline const unsigned char* get_varint(const unsigned char* in, const unsigned char* end, uint64_t& value) {
    uint64_t bits = 0;
    for (unsigned shift = 0; shift < 64 && in != end; shift += 7) {
        const uint64_t byte = *in++;
        if (shift == 63 && byte > 1) return nullptr;
        bits |= (byte & 0x7f) << shift;
        if (byte < 0x80) {
            value = bits;
            return in;
        }
    }
    return nullptr;
}

/// Small negative numbers become small numbers: 0, -1, 1, -2, ... to 0, 1, 2, 3, ...
constexpr uint64_t zigzag(uint64_t difference) {
    return (difference << 1) ^ static_cast<uint64_t>(static_cast<int64_t>(difference) >> 63);
}
constexpr uint64_t unzigzag(uint64_t value) {
    return (value >> 1) ^ (~(value & 1) + 1);
}

}  // namespace malloom::stream
