// A walk along pointers, each of which is known only when the one before it has been read.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include <span>
#include <vector>

namespace malloom::native {

constexpr uint64_t chased_line_bytes = 64;

/// Numbers of lines, from 0, in the order in which they are visited.
using LineOrder = std::vector<uint32_t>;

/// No hardware prefetcher covers this order: blocks of 16 small pages at random, and lines at random within a
/// block, so that what TLBs miss is little beside what caches miss even where pages are small. All lines
/// where these are few; else at most `most_chased_lines`, four a page, as neighbours would come with each
/// other.
LineOrder random_order(uint64_t lines);

/// At most `most_chased_lines` from the first on, one after the other.
LineOrder sequential_order(uint64_t lines);

constexpr uint64_t most_chased_lines = 16384;

/// The places of an order as a circle of pointers. Keeps nothing: the circle is in the memory, one pointer at
/// the begin of each line.
class PointerChase {
  public:
    /// `places` are distinct; what they lie in outlives the chase. Throws std::invalid_argument where there
    /// are none.
    explicit PointerChase(const std::vector<void**>& places);
    PointerChase(std::span<std::byte> memory, const LineOrder& order);

    /// Nanoseconds that a step takes in one walk round the circle, or several where it is short. It begins
    /// where the last one ended.
    double nanoseconds_per_step();

    /// How many places the circle has.
    uint64_t places() const { return places_; }

  private:
    void** at_;
    uint64_t places_;
};

/// Nanoseconds on a clock that only goes forward.
double nanoseconds_now();

}  // namespace malloom::native
