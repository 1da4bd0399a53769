// The records of a chunk, from its payload. What a header claims is believed as far as the bytes that are
// there can hold it: a damaged chunk may claim anything, and must not reserve memory for it.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include <vector>

#include "formats/profile.h"

namespace malloom::stream {

/// A chunk of more accesses and markers is corrupt.
inline constexpr uint64_t most_entries = uint64_t{1} << 26;
/// The same of events, of which a stage has far fewer.
inline constexpr uint64_t most_events = uint64_t{1} << 22;

/// The most bytes that the stored ones can become; a chunk that claims more is corrupt.
uint64_t most_payload_bytes(const formats::profile::ChunkHeader& header);

/// The most records that a payload of so many bytes can hold, by the chunk's kind.
uint64_t most_records(const formats::profile::ChunkHeader& header, uint64_t payload_bytes);

/// The records that a chunk claims, or the most that it can hold where it claims more. Reads no payload.
uint64_t believable_records(const formats::profile::ChunkHeader& header);

/// Fills `events` with those of an events chunk. False when the payload is corrupt or holds another number
/// of them than the header says.
bool read_events(const formats::profile::ChunkHeader& header, const std::vector<unsigned char>& payload,
                 std::vector<formats::profile::EventRecord>& events);

/// The same for the entries of an accesses chunk.
bool read_entries(const formats::profile::ChunkHeader& header, const std::vector<unsigned char>& payload,
                  std::vector<uint64_t>& entries);

/// How many of a thread's events, from the first on, can have been: of a known kind, with tickets that grow
/// from `ticket_before`, and objects that are aligned and lie within a program's address space.
size_t plausible_events(const formats::profile::EventRecord* events, size_t count, uint64_t ticket_before);

}  // namespace malloom::stream
