#include "record/dynamorio/access_chunks.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "record/dynamorio/recorder_library.h"
#include "record/stream/access_codec.h"
#include "record/stream/chunk_writer.h"
#include "record/stream/profile_file.h"

namespace malloom::accesses {

using formats::profile::ChunkKind;

namespace {

stream::ProfileFile profile;

size_t round_up(size_t bytes) {
    return (bytes + 63) & ~size_t{63};
}

}  // namespace

bool open_profile() {
    const char* const path = getenv("MALLOOM_RECORD");
    const char* const bound = getenv("MALLOOM_MAX_SIZE");
    if (path != nullptr && profile.open(path, bound != nullptr ? strtoull(bound, nullptr, 10) : 0)) return true;
    dr_fprintf(STDERR, "malloom: cannot append accesses to the profile %s: %s\n", path != nullptr ? path : "(MALLOOM_RECORD)",
               path != nullptr ? strerror(errno) : "not set");
    return false;
}

bool ChunkEncoder::begin(size_t entries) {
    const size_t payload = stream::encode_accesses_bound(entries);
    const size_t columns_bytes = round_up(payload);
    const size_t chunk_bytes = round_up(stream::chunk_bound(payload));
    const size_t compressor_bytes = round_up(stream::Compressor::memory_bytes(payload));
    memory_bytes_ = columns_bytes + chunk_bytes + compressor_bytes;
    memory_ = static_cast<unsigned char*>(dr_raw_mem_alloc(memory_bytes_, DR_MEMPROT_READ | DR_MEMPROT_WRITE, nullptr));
    if (memory_ == nullptr) return false;
    columns_ = memory_;
    chunk_ = columns_ + columns_bytes;
    return compressor_.use(chunk_ + chunk_bytes, compressor_bytes, payload);
}

void ChunkEncoder::end() {
    if (memory_ != nullptr) dr_raw_mem_free(memory_, memory_bytes_);
    *this = {};
}

bool ChunkEncoder::append(const uint64_t* entries, size_t count, uint32_t thread, uint64_t first_ticket) {
    const size_t bytes = stream::encode_accesses(entries, count, columns_);
    const stream::ChunkIdentity identity{ChunkKind::accesses, process_identity(), thread, sequence_++, first_ticket, count};
    const size_t chunk_bytes = stream::make_chunk(identity, columns_, bytes, &compressor_, chunk_);
    return profile.append(chunk_, chunk_bytes) == stream::AppendResult::written;
}

}  // namespace malloom::accesses
