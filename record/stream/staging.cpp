#include "record/stream/staging.h"

#include <string.h>

namespace malloom::stream {

using namespace formats;
using namespace formats::profile;

namespace {

char* put_hex(char* out, uint64_t value) {
    unsigned shift = 60;
    while (shift != 0 && value >> shift == 0) shift -= 4;
    for (;; shift -= 4) {
        *out++ = "0123456789abcdef"[(value >> shift) & 15];
        if (shift == 0) return out;
    }
}

// The magic last: a stage without it holds nothing yet.
EventStage begin_event_stage(void* start, uint64_t process, uint64_t capacity) {
    auto* header = static_cast<StagingHeader*>(start);
    if (header == nullptr) return {};
    header->version = version_current;
    header->process = process;
    header->capacity = capacity;
    __atomic_store_n(&header->magic, staging_magic, __ATOMIC_RELEASE);
    return {header};
}

}  // namespace

EventStage create_event_stage(ProfileFile& profile, uint64_t process, uint32_t slot, uint64_t capacity,
                              EventStage earlier) {
    char name[40];
    char* end = put_hex(name, process);
    *end++ = '-';
    *put_hex(end, slot) = '\0';
    void* const start = profile.stage(name, event_stage_bytes(capacity), earlier.header);
    return begin_event_stage(start, process, capacity);
}

ProcessStage create_process_stage(ProfileFile& profile, uint64_t process, uint64_t context_bytes,
                                  uint64_t capacity, ContextStage earlier) {
    char name[40];
    char* end = put_hex(name, process);
    strcpy(end, "-process");
    const size_t own = sizeof(ProcessStagingHeader) + context_bytes;
    const size_t bytes = process_stage_bytes(context_bytes, capacity);
    auto* start = static_cast<unsigned char*>(profile.stage(name, bytes, earlier.header));
    if (start == nullptr) return {};
    auto* header = reinterpret_cast<ProcessStagingHeader*>(start);
    header->version = version_current;
    header->state = static_cast<u32>(ProcessState::recording);
    header->process = process;
    header->capacity = context_bytes;
    const EventStage events = begin_event_stage(start + own, process, capacity);
    __atomic_store_n(&header->magic, process_staging_magic, __ATOMIC_RELEASE);
    return {{header}, events};
}

}  // namespace malloom::stream
