// Turns a thread's entries into chunks of the profile: encoded, compressed, appended with one write.
#pragma once

#include <dr_api.h>
#include <stddef.h>
#include <stdint.h>

#include "record/stream/compressor.h"

namespace malloom::accesses {

/// Opens the profile that MALLOOM_RECORD names. False, with the reason on stderr, when it cannot.
bool open_profile();

/// One thread's encoder. Owns its memory, which comes from the operating system; not shared between threads.
class ChunkEncoder {
  public:
    /// Room for chunks of up to `entries` entries. False when there is no memory.
    bool begin(size_t entries);
    void end();

    /// Appends `count` > 0 entries of the thread `thread` as one chunk; `first_ticket` is the ticket that they follow. False
    /// when the profile takes no more: it has reached MALLOOM_MAX_SIZE or cannot be written.
    bool append(const uint64_t* entries, size_t count, uint32_t thread, uint64_t first_ticket);

    /// A forked child numbers its chunks anew.
    void restart_sequence() { sequence_ = 0; }

  private:
    unsigned char* memory_ = nullptr;
    size_t memory_bytes_ = 0;
    unsigned char* columns_ = nullptr;  // the payload before compression
    unsigned char* chunk_ = nullptr;
    stream::Compressor compressor_;
    uint32_t sequence_ = 0;
};

}  // namespace malloom::accesses
