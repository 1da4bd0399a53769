// One set-associative cache; a TLB is one whose lines are pages.
#pragma once

#include <stdint.h>

#include <bit>
#include <stdexcept>
#include <vector>

#include "src/native/simulation/replacement.h"

namespace malloom::native {

/// Shape of a cache or TLB. Any number of sets; `line_bytes` is a power of two.
struct CacheShape {
    uint64_t sets;
    unsigned ways;
    uint64_t line_bytes;
};

struct CacheCounts {
    uint64_t references = 0;
    uint64_t misses = 0;
    uint64_t hidden = 0;  ///< of the misses, those that nobody waits for: prefetched, or of new memory
};

/// Which of the one or two lines of an access missed.
enum class Missed : uint8_t { none = 0, first = 1, last = 2, both = 3 };

/// `Replacement::reference` looks a line up in a set and takes it in. Addresses are below 2^32 lines.
template <class Replacement>
class Cache {
  public:
    explicit Cache(const CacheShape& shape)
        : shift_(static_cast<unsigned>(std::countr_zero(shape.line_bytes))),
          sets_(static_cast<uint32_t>(shape.sets)),
          mask_(std::has_single_bit(shape.sets) ? static_cast<uint32_t>(shape.sets - 1) : 0),
          ways_(shape.ways),
          rows_(shape.sets * (shape.ways + Replacement::state_words), empty_way) {
        if (shape.sets == 0 || shape.sets > UINT32_MAX || shape.ways == 0 || shape.ways > 4096 ||
            !std::has_single_bit(shape.line_bytes) || shape.line_bytes < 16) {
            throw std::invalid_argument(
                "a cache needs sets, ways, and lines of a power of two, at least 16 bytes");
        }
        if (Replacement::state_words != 0) {
            if (shape.ways > TreePseudoLru::most_ways) {
                throw std::invalid_argument("tree-plru serves at most 32 ways");
            }
            for (uint64_t set = 0; set < shape.sets; ++set) {
                rows_[set * stride() + ways_] = 0;
            }
        }
    }

    uint32_t line_of(uint64_t address) const { return static_cast<uint32_t>(address >> shift_); }

    /// References all lines of an access, as hardware does, so that a miss on the first does not hide the
    /// last.
    Missed reference(uint64_t address, unsigned bytes) {
        const uint32_t first = line_of(address);
        const uint32_t last = line_of(address + bytes - 1);
        unsigned missed = hit(first) ? 0 : 1;
        if (last != first) {
            missed |= hit(last) ? 0 : 2;
        }
        return static_cast<Missed>(missed);
    }

    /// References one line by its number.
    Missed reference(uint32_t line) { return hit(line) ? Missed::none : Missed::first; }

    CacheCounts counts;

  private:
    size_t stride() const { return ways_ + Replacement::state_words; }

    bool hit(uint32_t line) {
        const uint32_t set = mask_ != 0 ? line & mask_ : line % sets_;
        uint32_t* row = rows_.data() + set * stride();
        return replacement_.reference(row, ways_, line);
    }

    unsigned shift_;
    uint32_t sets_;
    uint32_t mask_;
    unsigned ways_;
    std::vector<uint32_t> rows_;
    [[no_unique_address]] Replacement replacement_;
};

}  // namespace malloom::native
