// Memory in which chunks are made.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "record/stream/compressor.h"

namespace malloom::record {

/// Events that a thread stages before they become a chunk: as many as fit beside the columns in a core's own
/// cache.
inline constexpr uint32_t stage_capacity = 4096;

/// Room for one chunk in the making. A few serve all threads.
struct FlushSpace {
    stream::Compressor compressor;
    unsigned char* columns = nullptr;
    unsigned char* chunk = nullptr;
    unsigned number = 0;

    /// Waits for a free one; nullptr where memory is short. Never allocates through malloc. To be held
    /// undisturbed only.
    static FlushSpace* acquire();
    static void release(FlushSpace* space);
};

}  // namespace malloom::record
