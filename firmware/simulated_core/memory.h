// The memory of the simulated core: ranges of addresses, of which there are few.
#pragma once

#include <stdint.h>

#include <string_view>
#include <vector>

namespace malloom::simulated_core {

class Memory {
  public:
    /// Room, all zero, in whole lines of a cache. False where it would overlap or is not cached memory.
    bool add(uint32_t begin, uint64_t bytes);
    /// Whether there is memory for so many bytes.
    bool has(uint32_t begin, uint64_t bytes) { return place_of(begin, bytes) != nullptr; }
    /// Copies the content. False, and nothing has changed, where there is no memory for all of it.
    bool write(uint32_t begin, std::string_view content);
    /// The word that holds the address; null where there is none.
    uint32_t* word(uint32_t address) {
        for (Range& range : ranges_) {
            const uint32_t offset = address - range.begin;
            if (offset < range.bytes) return &range.words[offset / sizeof(uint32_t)];
        }
        return nullptr;
    }

  private:
    struct Range {
        uint32_t begin;
        uint64_t bytes;
        std::vector<uint32_t> words;
    };

    char* place_of(uint32_t begin, uint64_t bytes);
    bool overlaps(uint64_t begin, uint64_t end) const;

    std::vector<Range> ranges_;
};

}  // namespace malloom::simulated_core
