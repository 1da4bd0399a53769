#include "firmware/simulated_core/memory.h"

#include <string.h>

#include "firmware/simulated_core/addresses.h"

namespace malloom::simulated_core {

bool Memory::add(uint32_t begin, uint64_t bytes) {
    const uint64_t whole = (bytes + CORE_LINE - 1) / CORE_LINE * CORE_LINE;
    const uint64_t end = begin + whole;
    if (begin % CORE_LINE != 0 || end < bytes || end > CORE_DEVICES || overlaps(begin, end)) return false;
    ranges_.push_back({begin, whole, std::vector<uint32_t>(whole / sizeof(uint32_t))});
    return true;
}

bool Memory::overlaps(uint64_t begin, uint64_t end) const {
    for (const Range& range : ranges_) {
        if (begin < range.begin + range.bytes && range.begin < end) return true;
    }
    return false;
}

char* Memory::place_of(uint32_t begin, uint64_t bytes) {
    for (Range& range : ranges_) {
        const uint32_t offset = begin - range.begin;
        if (offset > range.bytes || bytes > range.bytes - offset) continue;
        return reinterpret_cast<char*>(range.words.data()) + offset;
    }
    return nullptr;
}

bool Memory::write(uint32_t begin, std::string_view content) {
    char* const place = place_of(begin, content.size());
    if (place == nullptr) return false;
    memcpy(place, content.data(), content.size());
    return true;
}

}  // namespace malloom::simulated_core
