// Reads one column of a payload, from its first byte to its last.
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "record/stream/varint.h"

namespace malloom::stream {

/// What is left of a column: [next, end). A read that returns false found it exhausted or damaged, and ends
/// the decoding.
struct Column {
    const unsigned char* next;
    const unsigned char* end;

    bool byte(uint8_t& value) {
        if (next == end) return false;
        value = *next++;
        return true;
    }

    /// A number stored in `bytes` bytes, lowest first; at most 8.
    bool number(unsigned bytes, uint64_t& value) {
        if (bytes > static_cast<size_t>(end - next)) return false;
        value = 0;
        memcpy(&value, next, bytes);
        next += bytes;
        return true;
    }

    bool varint(uint64_t& value) {
        next = get_varint(next, end, value);
        return next != nullptr;
    }

    bool exhausted() const { return next == end; }
};

}  // namespace malloom::stream
