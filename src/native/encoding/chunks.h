// Writes chunks as the recorders do, for profiles that are made offline.
#pragma once

#include <stdint.h>

#include <span>
#include <vector>

#include "record/stream/chunk_writer.h"

namespace malloom::native {

/// Makes one chunk after another in buffers that grow with the largest. Not thread-safe.
class ChunkEncoder {
  public:
    /// Header and payload of a chunk; compressed where `compress` and that is shorter. Valid until the next
    /// call.
    std::span<const unsigned char> encode(const stream::ChunkIdentity& identity,
                                          std::span<const unsigned char> payload, bool compress);

  private:
    stream::Compressor* compressor_for(size_t payload_bytes);

    stream::Compressor compressor_;
    size_t largest_ = 0;
    std::vector<uint64_t> memory_;  ///< of the compressor; its unit gives the alignment
    std::vector<unsigned char> chunk_;
};

/// Payload of an events chunk; tickets must grow and begin at `first_ticket` or later.
std::vector<unsigned char> encode_events_payload(std::span<const formats::profile::EventRecord> events,
                                                 uint64_t first_ticket);

/// Payload of an accesses chunk.
std::vector<unsigned char> encode_accesses_payload(std::span<const uint64_t> entries);

}  // namespace malloom::native
