// Events as columns: the payload of an events chunk before compression (EventColumns in formats/profile.def).
#pragma once

#include <stddef.h>

#include "formats/profile.h"

namespace malloom::stream {

/// Whether the number is an EventKind.
constexpr bool is_event_kind(unsigned number) {
    using formats::profile::EventKind;
    return number >= static_cast<unsigned>(EventKind::allocate) &&
           number <= static_cast<unsigned>(EventKind::stop);
}

/// The most bytes that encode_events writes for `count` events.
size_t encode_events_bound(size_t count);

/// Writes the columns of `count` events, all of an EventKind, whose tickets grow and begin at `first_ticket`,
/// and returns how many bytes. `out` has room for encode_events_bound(count). Any thread, signal handlers
/// too; never allocates.
size_t encode_events(const formats::profile::EventRecord* events, size_t count, uint64_t first_ticket,
                     unsigned char* out);

/// The inverse: fills `out` with exactly `count` events. False when the payload is corrupt or holds another
/// number of events; `out` is then undefined. Never reads outside the payload.
bool decode_events(const unsigned char* payload, size_t bytes, uint64_t first_ticket,
                   formats::profile::EventRecord* out, size_t count);

}  // namespace malloom::stream
