// Says what the process is, and that it ended.
#pragma once

#include <stdint.h>

#include "formats/profile.h"
#include "record/stream/profile_file.h"

namespace malloom::record {

/// Appends the process chunk of this image. `parent` is the identity of the image that forked it, 0 where
/// none did.
stream::AppendResult append_process_chunk(uint64_t process, uint64_t parent);

/// Says how the recording of the process ended, where it has no stage that says so. False where that could
/// not be written.
bool append_end_chunk(uint64_t process, formats::profile::ProcessState state);

}  // namespace malloom::record
