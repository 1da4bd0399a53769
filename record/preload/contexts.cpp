#include "record/preload/contexts.h"

#include <errno.h>
#include <string.h>

#include "checks/check.h"
#include "record/preload/exports.h"
#include "record/preload/flush_space.h"
#include "record/preload/image.h"
#include "record/stream/chunk_writer.h"
#include "record/stream/properties.h"
#include "runtime/context/modules.h"

namespace malloom::record {

using namespace formats::profile;

constinit Contexts contexts;

namespace {

// Under contexts_lock. Static: too large for a small thread's stack.
void write_module(const context::Module& module) {
    static stream::PropertyList<8192> payload;
    static unsigned char chunk[sizeof(ChunkHeader) + 8192];
    payload.clear();
    payload.decimal("index", module.index);
    payload.hex("base", module.base);
    payload.hex("end", module.end);
    payload.hex("bias", module.bias);
    payload.hex_bytes("build_id", module.build_id, module.build_id_bytes);
    payload.text("path", module.path);
    const stream::ChunkIdentity identity{
        ChunkKind::module, record_process, 0, image->modules_written++, 0, 1};
    stop_after(profile.append(
        chunk, stream::make_chunk(identity, payload.payload(), payload.size(), nullptr, chunk)));
}

void make_known(const context::Module& module) {
    const int saved = errno;
    const Locked locked(image->contexts_lock);
    if (!image->module_known[module.index].load(std::memory_order_relaxed)) {
        write_module(module);
        image->module_known[module.index].store(true, std::memory_order_release);
    }
    errno = saved;
}

uint32_t known_module(const context::Module* module) {
    if (module == nullptr || module->index >= max_modules) return no_module;
    if (!image->module_known[module->index].load(std::memory_order_acquire)) make_known(*module);
    return module->index;
}

FrameRecord frame_record(uintptr_t return_address) {
    const context::Module* module = context::module_of_caller(return_address);
    const uint32_t index = known_module(module);
    return {index == no_module ? return_address : return_address - module->bias, index, 0};
}

void flush_locked() {
    if (image->contexts.header == nullptr) return;  // there was no room on the disk for those of a new window
    if (is_window_over()) return stop_image(ProcessState::window_over);
    ProcessStagingHeader& stage = *image->contexts.header;
    MALLOOM_CHECK(stage.bytes <= stage.capacity);
    if (stage.records == 0) return;
    const stream::ChunkIdentity identity{ChunkKind::contexts, stage.process, 0, stage.sequence, 0,
                                         stage.records};
    FlushSpace* space = FlushSpace::acquire();
    if (space == nullptr) return stop_image(ProcessState::failed);
    const size_t bytes = stream::make_chunk(identity, image->contexts.contexts(), stage.bytes,
                                            &space->compressor, space->chunk);
    const stream::AppendResult result =
        is_over() ? stream::AppendResult::failed : profile.append(space->chunk, bytes);
    FlushSpace::release(space);
    if (result != stream::AppendResult::written) return stop_after(result);
    stage.records = 0;
    __atomic_store_n(&stage.bytes, 0, __ATOMIC_RELEASE);
    ++stage.sequence;
}

void stage_context(const ContextRecord& head, const FrameRecord* frames) {
    ProcessStagingHeader& stage = *image->contexts.header;
    const size_t bytes = sizeof head + head.frames * sizeof *frames;
    if (stage.bytes + bytes > stage.capacity) flush_locked();
    if (stage.bytes + bytes > stage.capacity) return;
    unsigned char* const out = image->contexts.contexts() + stage.bytes;
    memcpy(out, &head, sizeof head);
    memcpy(out + sizeof head, frames, head.frames * sizeof *frames);
    ++stage.records;
    __atomic_store_n(&stage.bytes, stage.bytes + bytes, __ATOMIC_RELEASE);
}

}  // namespace

void write_context(Contexts::Entry& entry) {
    // Modules first, and without the lock: finding one waits for the loader.
    FrameRecord frames[context::max_depth];
    for (uint32_t i = 0; i < entry.depth; ++i) frames[i] = frame_record(entry.frames[i]);
    const Locked locked(image->contexts_lock);
    if (entry.value.written_for.load(std::memory_order_relaxed) == record_process) return;
    if (image->contexts.header == nullptr) return;
    stage_context({entry.number, entry.depth}, frames);
    entry.value.written_for.store(record_process, std::memory_order_release);
}

void flush_contexts() {
    const Locked locked(image->contexts_lock);
    flush_locked();
}

}  // namespace malloom::record
