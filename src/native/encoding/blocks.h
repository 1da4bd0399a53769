// An accesses payload from its blocks, as the client of DynamoRIO makes it: for the text form.
#pragma once

#include <stdint.h>

#include <memory>
#include <span>
#include <vector>

#include "record/stream/access_encoder.h"

namespace malloom::native {

/// Encodes one payload after the other. Memory: 28 bytes per entry of the largest. Not thread-safe.
class BlockEncoder {
  public:
    /// Begins a payload of `entries` accesses and markers. False when those are more than a chunk may have.
    bool begin(uint64_t entries);

    /// An execution of the block with this number, which must make the same accesses each time. False when it
    /// does not, or has more than a chunk can hold.
    bool put(uint32_t number, std::span<const stream::ShapedAccess> accesses,
             std::span<const uint64_t> addresses);

    /// An entry that is no access. False when there is no room.
    bool put_marker(uint64_t entry);

    uint64_t entries() const { return encoder_.entries(); }

    /// Ends the payload; valid until the next begin().
    std::span<const unsigned char> finish() { return {payload_.get(), encoder_.finish()}; }

  private:
    struct Block {
        size_t first_access, count, first_address, addresses;
    };

    const Block* block_of(uint32_t number, std::span<const stream::ShapedAccess> accesses, size_t addresses);
    void use_memory();

    stream::AccessEncoder encoder_;
    std::unique_ptr<unsigned char[]> payload_;
    size_t payload_bytes_ = 0;
    uint64_t room_ = 0;  ///< entries still to come
    std::vector<Block> blocks_;
    std::vector<stream::ShapedAccess> accesses_;
    std::vector<stream::AccessEncoder::ShapeState> states_;
    std::vector<uint64_t> slots_;
};

}  // namespace malloom::native
