// Turns what a thread has buffered into chunks of the profile: encoded, compressed, appended with one write
// each.
#pragma once

#include <dr_api.h>
#include <stddef.h>
#include <stdint.h>

#include "record/stream/access_encoder.h"
#include "record/stream/compressor.h"

namespace malloom::accesses {

/// Opens the profile that MALLOOM names. False, with the reason on stderr, when it cannot.
bool open_profile();

/// One thread's chunks. Owns its memory, which comes from the operating system; not shared between threads.
class AccessChunks {
  public:
    /// Room for chunks of `words` words of a buffer. False when there is no memory.
    bool begin(size_t words);
    void end();

    /// Begins a chunk with a marker.
    void begin_chunk(uint64_t marker);

    /// Whether put() and put_marker() have room once more.
    bool has_room() const { return encoder_.has_room(); }
    void put(const stream::AccessShape& shape, const uint64_t* bases) { encoder_.put(shape, bases); }
    void put_marker(uint64_t marker);

    /// Appends the chunk, unless it holds no accesses. False when the profile takes no more: it has reached
    /// max_size or cannot be written.
    bool append(uint32_t thread);

    /// Accesses in the chunk.
    size_t accesses() const { return encoder_.entries() - markers_; }

    /// A forked child numbers its chunks anew.
    void restart_sequence() { sequence_ = 0; }

  private:
    unsigned char* memory_ = nullptr;
    size_t memory_bytes_ = 0;
    unsigned char* payload_ = nullptr;
    unsigned char* chunk_ = nullptr;
    stream::AccessEncoder encoder_;
    stream::Compressor compressor_;
    uint64_t first_ticket_ = 0;
    size_t markers_ = 0;
    uint32_t sequence_ = 0;
};

}  // namespace malloom::accesses
