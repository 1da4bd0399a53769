// What the chunk unit (hardware/rtl/chunk_unit.v) is asked for, and what it answers.
#pragma once

#include <cstdint>

namespace malloom::hardware {

enum Opcode : uint8_t { find_chunk, free_chunk, load, store, status, first_unknown_opcode };

enum ErrorCode : uint32_t { no_error, freed_twice, beyond_page, no_such_class, no_such_request };

/// Bit 31 of an answer: an error, whose code stands in the low bits. 0 there: no chunk is free.
constexpr uint32_t error_bit = 0x80000000;

/// A request. `size_class` c has objects of the smallest size << c; `word` is of the class's bitmap.
struct Request {
    uint8_t opcode;  ///< three bits
    uint8_t size_class;
    uint32_t word;  ///< 24 bits
    uint32_t data;
};

/// A page's size and that of the smallest objects in bytes, both powers of two.
struct Geometry {
    uint32_t page_bytes = 4096;
    uint32_t smallest_bytes = 16;
};

}  // namespace malloom::hardware
