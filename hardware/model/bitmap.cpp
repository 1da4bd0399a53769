#include "hardware/model/bitmap.h"

#include <algorithm>

namespace malloom::hardware {

std::optional<uint32_t> Bitmap::first_free() const {
    const auto found = std::find(is_free_.begin(), is_free_.end(), true);
    if (found == is_free_.end()) return std::nullopt;
    return static_cast<uint32_t>(found - is_free_.begin());
}

uint32_t Bitmap::word(uint32_t index) const {
    uint32_t value = 0;
    for (uint32_t bit = 0; bit < bits_of_word; ++bit) {
        const uint32_t chunk = index * bits_of_word + bit;
        if (chunk < chunks() && is_free_[chunk]) value |= 1u << bit;
    }
    return value;
}

void Bitmap::set_word(uint32_t index, uint32_t value) {
    for (uint32_t bit = 0; bit < bits_of_word; ++bit) {
        const uint32_t chunk = index * bits_of_word + bit;
        if (chunk < chunks()) is_free_[chunk] = (value >> bit & 1) != 0;
    }
}

}  // namespace malloom::hardware
