#include "record/preload/process_chunk.h"

#include <fcntl.h>
#include <string.h>
#include <sys/auxv.h>
#include <time.h>
#include <unistd.h>

#include "record/preload/image.h"
#include "record/preload/windows.h"
#include "record/stream/chunk_writer.h"
#include "record/stream/process_end.h"
#include "record/stream/properties.h"
#include "runtime/context/modules.h"
#include "runtime/platform/memory.h"

namespace malloom::record {

namespace {

constexpr size_t payload_bytes = 16 << 10;
using Payload = stream::PropertyList<payload_bytes>;

// Static, as below.
void add_executable(Payload& payload) {
    static char path[4096];
    const ssize_t length = readlink("/proc/self/exe", path, sizeof path);
    if (length > 0) payload.bytes("executable", path, static_cast<size_t>(length));
    const context::Module* program = context::find_module(getauxval(AT_PHDR));
    if (program != nullptr) payload.hex_bytes("build_id", program->build_id, program->build_id_bytes);
}

// As many arguments as the payload has room for.
void add_arguments(Payload& payload) {
    static char text[payload_bytes / 2];
    const int file = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
    if (file < 0) return;
    const ssize_t length = read(file, text, sizeof text);
    close(file);
    for (ssize_t begin = 0; begin < length;) {
        const size_t size = strnlen(text + begin, static_cast<size_t>(length - begin));
        payload.bytes("argument", text + begin, size);
        begin += static_cast<ssize_t>(size) + 1;
    }
}

uint64_t started() {
    timespec now{};
    clock_gettime(CLOCK_REALTIME, &now);
    return static_cast<uint64_t>(now.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(now.tv_nsec);
}

}  // namespace

stream::AppendResult append_process_chunk(uint64_t process, uint64_t parent) {
    // Static: too large for a small thread's stack. Processes start under a lock.
    static Payload payload;
    static unsigned char chunk[sizeof(formats::profile::ChunkHeader) + 2 * payload_bytes];
    payload.clear();
    payload.decimal("pid", static_cast<uint64_t>(getpid()));
    payload.decimal("parent_pid", static_cast<uint64_t>(getppid()));
    if (parent != 0) payload.hex("parent", parent);
    add_executable(payload);
    payload.decimal("started", started());
    payload.decimal("page_size", platform::page_bytes());
    payload.decimal("depth", options.depth);
    payload.text("accesses", name_of(is_window_sampled() ? AccessMode::sampled : options.accesses));
    add_arguments(payload);
    const stream::ChunkIdentity identity{formats::profile::ChunkKind::process, process, 0, 0, 0, 1};
    const size_t bytes = stream::make_chunk(identity, payload.payload(), payload.size(), nullptr, chunk);
    return profile.append(chunk, bytes);
}

bool append_end_chunk(uint64_t process, formats::profile::ProcessState state) {
    const stream::EndPayload payload = stream::end_payload(state, 0);
    const stream::ChunkIdentity identity{formats::profile::ChunkKind::end, process, 0, 0, 0, 1};
    unsigned char chunk[sizeof(formats::profile::ChunkHeader) + 2 * sizeof payload];
    // Of the room that is kept for ends as much as one takes: many processes may start at the maximum size.
    constexpr uint64_t beyond = sizeof chunk;
    const size_t bytes = stream::make_chunk(identity, payload.payload(), payload.size(), nullptr, chunk);
    return profile.append(chunk, bytes, beyond) == stream::AppendResult::written;
}

}  // namespace malloom::record
