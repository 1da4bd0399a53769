// Makes chunks: header and payload in one piece, so that one write appends them.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "formats/profile.h"
#include "record/stream/compressor.h"

namespace malloom::stream {

/// What a chunk's header says beyond sizes and checksums.
struct ChunkIdentity {
    formats::profile::ChunkKind kind;
    uint64_t process;
    uint32_t thread;
    uint32_t sequence;
    uint64_t first_ticket;
    uint64_t records;
};

/// The most bytes that a chunk with such a payload takes, header included.
size_t chunk_bound(size_t payload_bytes);

/// Writes header and payload, compressed where that is shorter, to `out`, which has room for
/// chunk_bound(bytes). Returns the chunk's size. `compressor` may be null: stored uncompressed. Never
/// allocates.
size_t make_chunk(const ChunkIdentity& identity, const unsigned char* payload, size_t bytes,
                  Compressor* compressor, unsigned char* out);

/// The first bytes of a profile.
formats::profile::FileHeader make_file_header(uint64_t created);

}  // namespace malloom::stream
