// Accesses as columns: the payload of an accesses chunk before compression.
//
// Code makes its accesses block by block, and all that a run adds to what the block says is the addresses in
// the block's registers. So a payload is made of shapes (access_shape.h), and of their executions. After the
// AccessColumns head:
//
// - shapes, numbered from 1 in their order. Each: varint bases, varint accesses, and for every access a byte
//   tag (bits 0-3 log2 of the size, bit 4 store), a byte base, a zigzag varint offset from the base.
// - tags. For every execution: varint number of the shape, and for each base a byte: bits 0-3 its length in
//   the third column (0-8 bytes), bit 4 what it is predicted from: 0 the base before, 1 the same base in the
//   last execution of this shape (both begin as 0 in every payload). For a marker: a byte 0, a byte
//   AccessKind, a zigzag varint difference of its ticket to the marker's before.
// - addresses. For every base its zigzag difference to what it is predicted from, lowest byte first, without
//   leading zeros.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "record/stream/access_shape.h"

namespace malloom::stream {

/// The most bytes that encode_accesses writes for `count` entries.
size_t encode_accesses_bound(size_t count);

/// Writes `count` entries (one u64 each, see AccessKind in formats/profile.def), each access as a shape of
/// its own kind and one base, and returns how many bytes. `out` has room for encode_accesses_bound(count).
/// Any thread; never allocates.
size_t encode_accesses(const uint64_t* entries, size_t count, unsigned char* out);

/// Fills `out` with exactly `count` entries. False when the payload is corrupt or holds another number of
/// entries, or when there is no memory; `out` is then undefined. Never reads outside the payload.
bool decode_accesses(const unsigned char* payload, size_t bytes, uint64_t* out, size_t count);

/// What a payload is made of: an execution of a shape, or a marker. Valid during the visit.
struct AccessPiece {
    uint32_t shape;                ///< number within the payload, from 1; 0: a marker
    const ShapedAccess* accesses;  ///< of the shape
    const uint64_t* addresses;     ///< of the shape's bases
    uint16_t count;
    uint16_t bases;
    uint64_t marker;  ///< the entry
};

/// Calls `visit` with every piece of a payload of `count` entries, in order, until it returns false. False
/// when that happened, or as decode_accesses.
bool visit_accesses(const unsigned char* payload, size_t bytes, size_t count,
                    bool (*visit)(void* context, const AccessPiece& piece), void* context);

}  // namespace malloom::stream
