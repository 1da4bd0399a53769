// The files in which events and contexts wait for their chunk, mapped by the process that records.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "formats/profile.h"
#include "record/stream/profile_file.h"

namespace malloom::stream {

/// Bits of a process's identity (see ChunkHeader) that are its pid; the others grow with its start time.
inline constexpr unsigned pid_bits = 22;
constexpr uint32_t pid_of(uint64_t process) {
    return static_cast<uint32_t>(process & ((uint64_t{1} << pid_bits) - 1));
}

/// Where a process or thread stages: a header in a shared mapping and what follows it.
struct EventStage {
    formats::profile::StagingHeader* header = nullptr;
    formats::profile::EventRecord* records() const {
        return reinterpret_cast<formats::profile::EventRecord*>(header + 1);
    }
};
struct ContextStage {
    formats::profile::ProcessStagingHeader* header = nullptr;
    unsigned char* contexts() const { return reinterpret_cast<unsigned char*>(header + 1); }
};

/// Bytes of the file of a further slot, and of a process's own.
constexpr size_t event_stage_bytes(uint64_t capacity) {
    return sizeof(formats::profile::StagingHeader) + capacity * sizeof(formats::profile::EventRecord);
}
constexpr size_t process_stage_bytes(uint64_t context_bytes, uint64_t capacity) {
    return sizeof(formats::profile::ProcessStagingHeader) + context_bytes + event_stage_bytes(capacity);
}

/// Creates the stage of a further slot `slot` of a process with room for `capacity` events, in the place of
/// an earlier one where there is one; header is null on failure, errno says why. It serves no thread yet:
/// thread and sequence are 0.
EventStage create_event_stage(ProfileFile& profile, uint64_t process, uint32_t slot, uint64_t capacity,
                              EventStage earlier = {});

/// A process's own file: its contexts, and the events of its first slot. header is null on failure.
struct ProcessStage {
    ContextStage contexts;
    EventStage events;
};

/// Creates the process's own file, with room for `context_bytes` (a multiple of 64) and `capacity` events, in
/// the place of an earlier one where there is one.
ProcessStage create_process_stage(ProfileFile& profile, uint64_t process, uint64_t context_bytes,
                                  uint64_t capacity, ContextStage earlier = {});

}  // namespace malloom::stream
