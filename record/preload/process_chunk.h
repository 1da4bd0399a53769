// Says what the process is.
#pragma once

#include <stdint.h>

namespace malloom::record {

/// Appends the process chunk of this image. `parent` is the identity of the image that forked it, 0 where
/// none did.
bool append_process_chunk(uint64_t process, uint64_t parent);

}  // namespace malloom::record
