// The accesses chunk of a text form, line by line (docs/formats.md has the lines).
#pragma once

#include <stdint.h>

#include <string_view>
#include <vector>

#include "src/native/encoding/blocks.h"

namespace malloom::native {

/// Accesses that stand alone, or blocks of them, and markers. Methods return what is wrong, nullptr when
/// nothing is. Memory: one chunk.
class AccessLines {
  public:
    /// Adds a line of a chunk of `records` accesses and markers.
    const char* add(std::string_view line, uint64_t records);

    /// Ends the chunk and gives its payload.
    const char* finish(uint64_t records, std::vector<unsigned char>& payload);

  private:
    const char* add_marker(uint64_t entry);
    const char* begin_block(std::string_view line, uint64_t records);
    const char* end_block();
    const char* add_access(uint64_t entry, std::string_view base);

    std::vector<uint64_t> entries_;  ///< until the first block
    BlockEncoder encoder_;           ///< of a chunk with blocks
    bool has_blocks_ = false;
    uint32_t block_ = 0;  ///< number of the block that is being read; 0: none
    std::vector<uint64_t> addresses_;
    std::vector<stream::ShapedAccess> accesses_;
};

}  // namespace malloom::native
