// How the recording of a process ended, as its end chunk says it.
#pragma once

#include <stdint.h>

#include "formats/profile.h"
#include "record/stream/properties.h"

namespace malloom::stream {

using EndPayload = PropertyList<256>;

/// Reasons, also of an end of the accesses alone (`accesses` in place of `reason`), while requests go on.
constexpr const char* reached_limit = "maximum size reached";
constexpr const char* not_written = "profile could not be written";

/// The payload of an end chunk. `dropped`: events that could not be recorded. Never allocates.
EndPayload end_payload(formats::profile::ProcessState state, uint64_t dropped);

}  // namespace malloom::stream
