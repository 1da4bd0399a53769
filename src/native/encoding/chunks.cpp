#include "src/native/encoding/chunks.h"

#include <algorithm>
#include <bit>

#include "record/stream/access_codec.h"
#include "record/stream/event_codec.h"

namespace malloom::native {

stream::Compressor* ChunkEncoder::compressor_for(size_t payload_bytes) {
    if (payload_bytes > largest_ || memory_.empty()) {
        largest_ = std::bit_ceil(std::max<size_t>(payload_bytes, size_t{1} << 16));
        memory_.resize(stream::Compressor::memory_bytes(largest_) / sizeof(uint64_t) + 1);
        if (!compressor_.use(memory_.data(), memory_.size() * sizeof(uint64_t), largest_)) {
            memory_.clear();
            return nullptr;
        }
    }
    return &compressor_;
}

std::span<const unsigned char> ChunkEncoder::encode(const stream::ChunkIdentity& identity,
                                                    std::span<const unsigned char> payload, bool compress) {
    chunk_.resize(std::max(chunk_.size(), stream::chunk_bound(payload.size())));
    stream::Compressor* const compressor = compress ? compressor_for(payload.size()) : nullptr;
    return {chunk_.data(),
            stream::make_chunk(identity, payload.data(), payload.size(), compressor, chunk_.data())};
}

std::vector<unsigned char> encode_events_payload(std::span<const formats::profile::EventRecord> events,
                                                 uint64_t first_ticket) {
    std::vector<unsigned char> payload(stream::encode_events_bound(events.size()));
    payload.resize(stream::encode_events(events.data(), events.size(), first_ticket, payload.data()));
    return payload;
}

std::vector<unsigned char> encode_accesses_payload(std::span<const uint64_t> entries) {
    std::vector<unsigned char> payload(stream::encode_accesses_bound(entries.size()));
    payload.resize(stream::encode_accesses(entries.data(), entries.size(), payload.data()));
    return payload;
}

}  // namespace malloom::native
