// What a program's accesses do to the cache lines of a layout.
#pragma once

#include <stdint.h>

#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "src/native/accesses/source.h"

namespace malloom::native {

/// Counts for each line of 64 bytes how often it is accessed, when first, and which of its bytes. Memory: 1.5
/// KiB for each page of 4096 bytes that an access reaches.
class LineUse {
  public:
    static constexpr uint64_t line_bytes = 64;
    static constexpr uint64_t page_lines = 64;

    /// What is known of one line. One record, so that an access costs one cache miss.
    struct Line {
        uint64_t accesses;  ///< weights included
        uint64_t first;     ///< position of the first access in the stream, or never
        uint64_t used;      ///< a bit for each byte of the line that an access reached
    };

    /// `addresses` are those of the requests' objects, and must outlive it.
    explicit LineUse(std::span<const uint64_t> addresses) : addresses_(addresses) {}

    /// Accesses of requests without an address do not count. `position` is the access's in the stream.
    void add(const ResolvedAccess& access, uint64_t position);
    /// Numbers (addresses by 4096) of the pages that were reached, in the order in which they were first.
    std::vector<uint64_t> take_pages() { return std::move(pages_); }
    /// The lines of these pages, page_lines of each.
    std::vector<Line> take_lines() { return std::move(lines_); }

  private:
    size_t first_line_of(uint64_t page);

    std::span<const uint64_t> addresses_;
    std::vector<uint64_t> pages_;
    std::vector<Line> lines_;
    std::unordered_map<uint64_t, size_t> first_lines_;  ///< of each page its first one in `lines_`
    uint64_t latest_page_ = UINT64_MAX;
    size_t latest_line_ = 0;
};

}  // namespace malloom::native
