// Arrays whose elements lie in parts, filled with bytes that tell the array, the part and the element.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <vector>

namespace malloom::tests {

/// Where the parts of a structure's elements lie.
struct PartPlaces {
    std::vector<unsigned> element_bytes;
    std::vector<uintptr_t> begins;

    explicit PartPlaces(const std::vector<unsigned>& bytes) : element_bytes(bytes), begins(bytes.size()) {}

    size_t structure_bytes() const {
        size_t sum = 0;
        for (const unsigned bytes : element_bytes) {
            sum += bytes;
        }
        return sum;
    }
    /// As compiled code finds it.
    unsigned char* place(const void* first, size_t part, size_t element) const {
        const uintptr_t index = (reinterpret_cast<uintptr_t>(first) - begins[0]) / element_bytes[0];
        return reinterpret_cast<unsigned char*>(begins[part] + (index + element) * element_bytes[part]);
    }
};

struct FilledArray {
    void* first;
    size_t elements;
    unsigned seed;
};

inline unsigned char byte_of(unsigned seed, size_t part, size_t element) {
    return static_cast<unsigned char>(seed * 7 + part * 31 + element * 3 + 1);
}

inline void fill(const PartPlaces& places, const FilledArray& array) {
    for (size_t part = 0; part < places.begins.size(); ++part) {
        for (size_t i = 0; i < array.elements; ++i) {
            memset(places.place(array.first, part, i), byte_of(array.seed, part, i),
                   places.element_bytes[part]);
        }
    }
}

/// Whether each byte of the array is what `wanted(part, element)` says.
template <class Wanted>
bool has_bytes(const PartPlaces& places, const FilledArray& array, Wanted wanted) {
    for (size_t part = 0; part < places.begins.size(); ++part) {
        for (size_t i = 0; i < array.elements; ++i) {
            const unsigned char* bytes = places.place(array.first, part, i);
            for (unsigned at = 0; at < places.element_bytes[part]; ++at) {
                if (bytes[at] != wanted(part, i)) {
                    return false;
                }
            }
        }
    }
    return true;
}

inline bool is_filled(const PartPlaces& places, const FilledArray& array) {
    return has_bytes(places, array,
                     [&](size_t part, size_t element) { return byte_of(array.seed, part, element); });
}

inline bool is_zero(const PartPlaces& places, const FilledArray& array) {
    return has_bytes(places, array, [](size_t, size_t) { return 0; });
}

}  // namespace malloom::tests
