#include "src/native/profile/recording.h"

#include <algorithm>

#include "record/stream/records.h"

namespace malloom::native {

using formats::profile::ChunkKind;

namespace {

ThreadChunks& thread_of(ProcessChunks& process, uint32_t thread) {
    const auto [place, is_new] = process.places_of_threads.emplace(thread, process.threads.size());
    if (is_new) process.threads.push_back({thread, {}, {}});
    return process.threads[place->second];
}

/// Puts a thread's chunks into their order, which is that of their tickets: a thread id that is used again
/// numbers its chunks anew. Returns how many are missing.
uint64_t sort_chunks(ChunkList& chunks) {
    std::stable_sort(chunks.begin(), chunks.end(), [](const auto* a, const auto* b) {
        return a->header.first_ticket < b->header.first_ticket;
    });
    uint64_t expected = 0;
    for (const auto* chunk : chunks) expected = std::max(expected, uint64_t{chunk->header.sequence} + 1);
    return expected - std::min<uint64_t>(expected, chunks.size());
}

}  // namespace

bool Recording::open(const char* path) {
    if (!reader_.open(path)) return false;
    for (const stream::ChunkView& chunk : reader_.chunks()) add(chunk);
    for (ProcessChunks& process : processes_) {
        for (ThreadChunks& thread : process.threads) {
            process.lost_chunks += sort_chunks(thread.events) + sort_chunks(thread.accesses);
        }
    }
    return true;
}

const ProcessChunks* Recording::find(uint64_t identity) const {
    const auto place = places_.find(identity);
    return place != places_.end() ? &processes_[place->second] : nullptr;
}

ProcessChunks& Recording::process_of(uint64_t identity) {
    const auto [place, is_new] = places_.emplace(identity, processes_.size());
    if (is_new) {
        processes_.push_back({});
        processes_.back().identity = identity;
    }
    return processes_[place->second];
}

void Recording::add(const stream::ChunkView& chunk) {
    const auto kind = static_cast<ChunkKind>(chunk.header.kind);
    // A process that found no room to begin leaves nothing but the reason.
    if (kind == ChunkKind::end && find(chunk.header.process) == nullptr) return;
    ProcessChunks& process = process_of(chunk.header.process);
    switch (kind) {
        case ChunkKind::process:
            process.process.push_back(&chunk);
            break;
        case ChunkKind::module:
            process.modules.push_back(&chunk);
            break;
        case ChunkKind::contexts:
            process.contexts.push_back(&chunk);
            break;
        case ChunkKind::end:
            process.ends.push_back(&chunk);
            break;
        case ChunkKind::events:
            process.events += stream::believable_records(chunk.header);
            thread_of(process, chunk.header.thread).events.push_back(&chunk);
            break;
        case ChunkKind::accesses:
            process.accesses += stream::believable_records(chunk.header);
            thread_of(process, chunk.header.thread).accesses.push_back(&chunk);
            break;
        default:
            break;  // a kind of a later version that this one need not know
    }
}

std::vector<stream::Property> read_properties(const stream::ChunkView& chunk) {
    std::vector<unsigned char> payload;
    if (!stream::ChunkReader::decode(chunk, payload)) return {};
    return stream::parse_properties(payload);
}

}  // namespace malloom::native
