#include "record/preload/flush_space.h"

#include "record/preload/image.h"
#include "record/stream/chunk_writer.h"
#include "record/stream/event_codec.h"
#include "runtime/platform/memory.h"
#include "runtime/platform/system_calls.h"

namespace malloom::record {

namespace {

constexpr unsigned count = sizeof(Image::flush_locks) / sizeof(SpinLock);

// The memory outlives a fork; who uses it (flush_locks) does not. Other libraries' constructors come before
// this one's, and fill them.
constinit FlushSpace spaces[count];

bool prepare(FlushSpace& space) {
    if (space.chunk != nullptr) return true;
    const size_t columns = platform::round_up(stream::encode_events_bound(stage_capacity), 64);
    const size_t chunk = platform::round_up(stream::chunk_bound(columns), 64);
    const size_t compressor = platform::round_up(stream::Compressor::memory_bytes(columns), 64);
    auto* memory = static_cast<unsigned char*>(platform::map_pages(columns + chunk + compressor));
    if (memory == nullptr || !space.compressor.use(memory + columns + chunk, compressor, columns))
        return false;
    space.columns = memory;
    space.chunk = memory + columns;
    return true;
}

FlushSpace* try_acquire() {
    for (unsigned i = 0; i < count; ++i) {
        if (!image->flush_locks[i].try_lock()) continue;
        spaces[i].number = i;
        if (prepare(spaces[i])) return &spaces[i];
        image->flush_locks[i].unlock();
        return nullptr;
    }
    return &spaces[count - 1] + 1;
}

}  // namespace

FlushSpace* FlushSpace::acquire() {
    for (unsigned waited = 1;; ++waited) {
        FlushSpace* space = try_acquire();
        if (space != spaces + count) return space;
        platform::wait_for_others(waited);
    }
}

void FlushSpace::release(FlushSpace* space) {
    image->flush_locks[space->number].unlock();
}

}  // namespace malloom::record
