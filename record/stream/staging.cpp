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

}  // namespace

EventStage create_event_stage(ProfileFile& profile, uint64_t process, uint32_t slot, uint64_t capacity) {
    char name[40];
    char* end = put_hex(name, process);
    *end++ = '-';
    *put_hex(end, slot) = '\0';
    auto* header = static_cast<StagingHeader*>(
        profile.stage(name, sizeof(StagingHeader) + capacity * sizeof(EventRecord)));
    if (header == nullptr) return {};
    header->version = version_current;
    header->process = process;
    header->capacity = capacity;
    // The magic last: a file without it holds nothing yet.
    __atomic_store_n(&header->magic, staging_magic, __ATOMIC_RELEASE);
    return {header};
}

ContextStage create_context_stage(ProfileFile& profile, uint64_t process, uint64_t capacity) {
    char name[40];
    char* end = put_hex(name, process);
    strcpy(end, "-process");
    auto* header =
        static_cast<ProcessStagingHeader*>(profile.stage(name, sizeof(ProcessStagingHeader) + capacity));
    if (header == nullptr) return {};
    header->version = version_current;
    header->state = static_cast<u32>(ProcessState::recording);
    header->process = process;
    header->capacity = capacity;
    __atomic_store_n(&header->magic, process_staging_magic, __ATOMIC_RELEASE);
    return {header};
}

}  // namespace malloom::stream
