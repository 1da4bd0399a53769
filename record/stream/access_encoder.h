// Encodes accesses shape by shape: what a block of code does is written once a chunk, and then only its
// number and the bases.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "record/stream/access_shape.h"

namespace malloom::stream {

/// Builds one accesses payload after the other in memory of its owner. Not thread-safe; never allocates.
class AccessEncoder {
  public:
    /// What the encoder remembers of a shape within a chunk.
    struct ShapeState {
        uint32_t chunk;
        uint32_t number;
    };

    /// Memory: `payload` for what finish() returns; a ShapeState per shape id and a u64 per slot, all zero at
    /// first.
    struct Memory {
        unsigned char* payload;
        size_t payload_bytes;
        ShapeState* shapes;
        uint64_t* slots;
    };

    /// Bytes for a payload of about `words` bases and markers: has_room() says when it is full.
    static size_t payload_bound(size_t words);

    /// Bytes for a payload of `entries` accesses and markers, whatever they are: as long as the definitions
    /// of its shapes have room, everything has.
    static size_t entries_bound(size_t entries);

    void use(const Memory& memory);

    /// Begins a payload.
    void begin();

    /// Whether one more shape and its accesses have room.
    bool has_room() const {
        return shapes_end_ < shapes_limit_ && tags_end_ < tags_limit_ && addresses_end_ < addresses_limit_;
    }

    /// One execution of a shape: its bases. There must be room.
    void put(const AccessShape& shape, const uint64_t* bases);

    /// A marker: an entry whose AccessKind is not access. There must be room.
    void put_marker(uint64_t entry);

    /// Entries since begin().
    size_t entries() const { return entries_; }

    /// Whether no column reaches the next one, or the memory's end. A few comparisons.
    bool is_valid() const noexcept;

    /// Ends the payload and returns its size; it begins at the memory's payload.
    size_t finish();

  private:
    uint32_t number_of(const AccessShape& shape);
    void define(const AccessShape& shape);

    Memory memory_{};
    unsigned char *shapes_end_ = nullptr, *shapes_limit_ = nullptr;
    unsigned char *tags_ = nullptr, *tags_end_ = nullptr, *tags_limit_ = nullptr;
    unsigned char *addresses_ = nullptr, *addresses_end_ = nullptr, *addresses_limit_ = nullptr;
    uint64_t base_before_ = 0;
    uint64_t ticket_before_ = 0;
    size_t entries_ = 0;
    uint32_t chunk_ = 0;
    uint32_t shapes_defined_ = 0;
};

}  // namespace malloom::stream
