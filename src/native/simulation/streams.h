// Tells misses that a hardware prefetcher would have covered from all others.
#pragma once

#include <stdint.h>

#include <array>

namespace malloom::native {

/// Remembers the last line asked for in each of the latest pages. Today's prefetchers follow some dozens of
/// streams, one per page, in both directions, and do not cross a page's end; nor does this.
class StreamTable {
  public:
    /// `line_shift` is log2 of the line size in bytes.
    explicit StreamTable(unsigned line_shift) : page_shift_(line_shift < 12 ? 12 - line_shift : 0) {}

    /// Notes a request for `line`; true when it lies one or two lines from the last one in its page.
    bool follows(uint32_t line) {
        const uint32_t page = line >> page_shift_;
        Stream& stream = streams_[(page * 2654435761U) >> 26];  // Knuth's multiplicative hash to 6 bits
        const int64_t distance = static_cast<int64_t>(line) - static_cast<int64_t>(stream.line);
        const bool near = stream.page == page && distance != 0 && distance >= -2 && distance <= 2;
        stream = {page, line};
        return near;
    }

  private:
    struct Stream {
        uint32_t page = UINT32_MAX;
        uint32_t line = 0;
    };

    unsigned page_shift_;
    std::array<Stream, 64> streams_{};
};

}  // namespace malloom::native
