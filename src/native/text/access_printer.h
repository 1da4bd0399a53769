// The payload of an accesses chunk as lines of the text form (docs/formats.md has them).
#pragma once

#include <stdint.h>

#include <string>
#include <vector>

#include "formats/profile.h"
#include "record/stream/access_codec.h"
#include "src/native/encoding/blocks.h"

namespace malloom::native {

/// Prints one payload after the other. Memory: one chunk. Not thread-safe.
class AccessPrinter {
  public:
    enum class Printed {
        nothing,     ///< the payload is corrupt
        readable,    ///< the lines say what happened, but the payload cannot be made again from them
        reversible,  ///< AccessLines makes the payload again from the lines
    };

    /// Appends the lines of the payload of an accesses chunk to `out`.
    Printed print(const formats::profile::ChunkHeader& header, const std::vector<unsigned char>& payload,
                  std::string& out);

  private:
    bool print_entries();
    bool print_blocks(const std::vector<unsigned char>& payload);
    bool print_piece(const stream::AccessPiece& piece);
    bool print_entry(uint64_t entry);
    void print_access(uint64_t entry);

    std::string* out_ = nullptr;
    std::vector<uint64_t> entries_;
    BlockEncoder blocks_;
};

}  // namespace malloom::native
