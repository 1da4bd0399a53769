#include "record/stream/chunk_writer.h"

#include <string.h>

#include "record/stream/checksum.h"

namespace malloom::stream {

using namespace formats;
using namespace formats::profile;

namespace {

constexpr size_t sample_bytes = 4096;

// An accesses payload ends with differences of addresses, which in many programs are noise to zstd. A sample
// decides, and not what came before, so that the same payload always becomes the same chunk.
bool ends_in_noise(const unsigned char* payload, size_t bytes, Compressor& compressor,
                   unsigned char* scratch) {
    if (bytes < 8 * sample_bytes) return false;
    const size_t compressed = compressor.compress(payload + bytes - sample_bytes, sample_bytes, scratch,
                                                  Compressor::bound(sample_bytes));
    return compressed == 0 || compressed > sample_bytes / 8 * 7;
}

size_t compress(ChunkKind kind, const unsigned char* payload, size_t bytes, Compressor& compressor,
                unsigned char* out) {
    using enum Compressor::Level;
    compressor.set_level(normal);
    const bool is_noise = kind == ChunkKind::accesses && ends_in_noise(payload, bytes, compressor, out);
    compressor.set_level(is_noise ? fast : normal);
    return compressor.compress(payload, bytes, out, Compressor::bound(bytes));
}

}  // namespace

size_t chunk_bound(size_t payload_bytes) {
    return sizeof(ChunkHeader) + Compressor::bound(payload_bytes);
}

size_t make_chunk(const ChunkIdentity& identity, const unsigned char* payload, size_t bytes,
                  Compressor* compressor, unsigned char* out) {
    unsigned char* const stored = out + sizeof(ChunkHeader);
    size_t stored_bytes = 0;
    if (compressor != nullptr) stored_bytes = compress(identity.kind, payload, bytes, *compressor, stored);
    const bool plain = stored_bytes == 0 || stored_bytes >= bytes;
    if (plain) {
        if (bytes != 0) memcpy(stored, payload, bytes);  // an empty payload may have no address
        stored_bytes = bytes;
    }
    ChunkHeader header{};
    header.magic = chunk_magic;
    header.kind = static_cast<u16>(identity.kind);
    header.codec = static_cast<u16>(plain ? Codec::plain : Codec::zstd);
    header.process = identity.process;
    header.thread = identity.thread;
    header.sequence = identity.sequence;
    header.first_ticket = identity.first_ticket;
    header.records = identity.records;
    header.stored_bytes = static_cast<u32>(stored_bytes);
    header.decoded_bytes = static_cast<u32>(bytes);
    header.payload_checksum = checksum(stored, stored_bytes);
    header.header_checksum = checksum(&header, offsetof(ChunkHeader, header_checksum));
    memcpy(out, &header, sizeof header);
    return sizeof header + stored_bytes;
}

FileHeader make_file_header(uint64_t created) {
    FileHeader header{};
    header.magic = file_magic;
    header.version = version_current;
    header.header_bytes = sizeof header;
    header.created = created;
    header.checksum = checksum(&header, offsetof(FileHeader, checksum));
    return header;
}

}  // namespace malloom::stream
