// Accesses as columns: the payload of an accesses chunk before compression.
//
// After the AccessColumns head come two columns. The first has a tag byte per entry:
//   bits 0-2  log2 of the size in bytes (0-6), or 7: an escape
//   bit  3    store
//   bits 4-6  how many bytes the entry has in the second column (0-7)
//   bit  7    predicted from: 0 the address before, 1 the address before that
// The second column holds, lowest byte first and without leading zero bytes, the zigzag difference of an address to the
// one that it is predicted from (both begin as 0). Most neighbours are near, so most entries have two or three bytes, and
// what repeats (a stride, a walk along equal nodes) repeats byte for byte, which the compressor finds.
//
// An escape is followed by a second tag byte: the AccessKind of a marker, whose bytes are the zigzag difference of its
// ticket to the marker's before; or 0 and then a byte with the log2 of the size, for an access wider than 64 bytes.
#pragma once

#include <stddef.h>
#include <stdint.h>

namespace malloom::stream {

/// The most bytes that encode_accesses writes for `count` entries.
size_t encode_accesses_bound(size_t count);

/// Writes the columns of `count` entries (one u64 each, see AccessKind in formats/profile.def) and returns how many bytes.
/// `out` has room for encode_accesses_bound(count). Any thread; never allocates.
size_t encode_accesses(const uint64_t* entries, size_t count, unsigned char* out);

/// The inverse: fills `out` with exactly `count` entries. False when the payload is corrupt or holds another number of
/// entries; `out` is then undefined. Never reads outside the payload.
bool decode_accesses(const unsigned char* payload, size_t bytes, uint64_t* out, size_t count);

}  // namespace malloom::stream
