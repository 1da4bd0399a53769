#include "record/accesses/access_chunks.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "formats/profile.h"
#include "record/accesses/recorder_library.h"
#include "record/accesses/shapes.h"
#include "record/stream/chunk_writer.h"
#include "record/stream/process_end.h"
#include "record/stream/profile_file.h"
#include "runtime/platform/settings.h"

namespace malloom::accesses {

using formats::profile::ChunkKind;

namespace {

stream::ProfileFile profile;
uint64_t share_of_requests;  // of a bounded profile

size_t round_up(size_t bytes) {
    return (bytes + 63) & ~size_t{63};
}

// Of a bounded profile a quarter is kept for requests, many of which are written at the end: accesses without
// the objects that they reach say nothing. What is left for accesses; 0 of a profile without a bound.
uint64_t share_requests(const char* bound) {
    const uint64_t bytes = bound != nullptr ? strtoull(bound, nullptr, 10) : 0;
    share_of_requests = bytes / 4;
    return share_of_requests * 3;
}

// In the room that is kept for requests, however much of it they have taken. An end of the thread: that of
// the process is the recorder's.
void say_end(uint32_t thread, stream::AppendResult result) {
    stream::EndPayload payload;
    payload.text("accesses",
                 result == stream::AppendResult::limit ? stream::reached_limit : stream::not_written);
    const stream::ChunkIdentity identity{ChunkKind::end, process_identity(), thread, 0, 0, 1};
    unsigned char chunk[sizeof(formats::profile::ChunkHeader) + 2 * sizeof payload];
    const size_t bytes = stream::make_chunk(identity, payload.payload(), payload.size(), nullptr, chunk);
    profile.append(chunk, bytes, share_of_requests);
}

}  // namespace

bool open_profile() {
    static const platform::Settings settings(getenv("MALLOOM"));  // the profile keeps the path
    const char* const path = settings.value("record");
    const char* const bound = settings.value("max_size");
    if (path != nullptr && profile.open(path, share_requests(bound))) {
        profile.keep_descriptors();  // nothing tells of what the program gives up
        return true;
    }
    dr_fprintf(STDERR, "malloom: cannot append accesses to the profile %s: %s\n",
               path != nullptr ? path : "(MALLOOM=record)", path != nullptr ? strerror(errno) : "not set");
    return false;
}

bool AccessChunks::begin(size_t words) {
    const size_t payload = round_up(stream::AccessEncoder::payload_bound(words));
    const size_t chunk = round_up(stream::chunk_bound(payload));
    const size_t compressor = round_up(stream::Compressor::memory_bytes(payload));
    const size_t shapes = most_shapes * sizeof(stream::AccessEncoder::ShapeState);
    const size_t slots = most_slots * sizeof(uint64_t);
    memory_bytes_ = payload + chunk + compressor + shapes + slots;
    memory_ = static_cast<unsigned char*>(
        dr_raw_mem_alloc(memory_bytes_, DR_MEMPROT_READ | DR_MEMPROT_WRITE, nullptr));
    if (memory_ == nullptr) return false;
    payload_ = memory_;
    chunk_ = payload_ + payload;
    unsigned char* const states = chunk_ + chunk + compressor;
    encoder_.use({payload_, payload, reinterpret_cast<stream::AccessEncoder::ShapeState*>(states),
                  reinterpret_cast<uint64_t*>(states + shapes)});
    return compressor_.use(chunk_ + chunk, compressor, payload);
}

void AccessChunks::end() {
    if (memory_ != nullptr) dr_raw_mem_free(memory_, memory_bytes_);
    *this = {};
}

void AccessChunks::begin_chunk(uint64_t marker) {
    encoder_.begin();
    markers_ = 0;
    first_ticket_ = marker & formats::profile::access_ticket_mask;
    put_marker(marker);
}

void AccessChunks::put_marker(uint64_t marker) {
    encoder_.put_marker(marker);
    ++markers_;
}

bool AccessChunks::append(uint32_t thread) {
    if (accesses() == 0) return true;
    const size_t count = encoder_.entries();
    const size_t bytes = encoder_.finish();
    const stream::ChunkIdentity identity{ChunkKind::accesses, process_identity(), thread,
                                         sequence_++,         first_ticket_,      count};
    const size_t chunk_bytes = stream::make_chunk(identity, payload_, bytes, &compressor_, chunk_);
    const stream::AppendResult result = profile.append(chunk_, chunk_bytes);
    if (result != stream::AppendResult::written) say_end(thread, result);
    return result == stream::AppendResult::written;
}

}  // namespace malloom::accesses
