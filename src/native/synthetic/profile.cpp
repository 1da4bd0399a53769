#include "src/native/synthetic/profile.h"

#include <cstdio>
#include <memory>
#include <vector>

#include "formats/context_hash.h"
#include "src/native/encoding/chunks.h"

namespace malloom::native {

using namespace formats::profile;

namespace {

constexpr uint64_t process_identity = 1;
constexpr size_t records_per_chunk = 1 << 16;
constexpr uint64_t heap_start = 0x100000000;

struct ThreadDraft {
    std::vector<EventRecord> events;
    std::vector<uint64_t> entries;
    uint32_t event_chunks = 0, access_chunks = 0;
    uint64_t entries_after = 0;  ///< ticket that the chunk of entries follows
};

class Writer {
  public:
    Writer(const SyntheticShape& shape, FILE* file) : shape_(shape), file_(file), threads_(shape.threads) {}

    bool write() {
        put_head();
        build();
        walk();
        for (uint32_t i = 0; i < shape_.threads; ++i) flush(i);
        put_pairs(ChunkKind::end, "reason\0exit\0");
        return good_;
    }

  private:
    void put_head();
    /// `pairs` is a literal whose last string ends in a written NUL.
    template <size_t size>
    void put_pairs(ChunkKind kind, const char (&pairs)[size]) {
        put({kind, process_identity, 0, 0, 0, 1}, {reinterpret_cast<const unsigned char*>(pairs), size - 1});
    }
    void put(const stream::ChunkIdentity& identity, std::span<const unsigned char> payload) {
        const auto chunk = encoder_.encode(identity, payload, true);
        good_ = good_ && fwrite(chunk.data(), 1, chunk.size(), file_) == chunk.size();
    }
    void build();
    void walk();
    void access(uint32_t thread, uint64_t request, uint64_t number);
    void event(uint32_t thread, EventKind kind, uint64_t request);
    void flush(uint32_t thread);
    void flush_entries(uint32_t thread);
    uint64_t marker(AccessKind kind) const {
        return (uint64_t{static_cast<unsigned>(kind)} << access_kind_shift) | ticket_;
    }
    static uint64_t size_of(uint64_t request) { return 16 + formats::mix(request) % 241; }
    // 256-byte slots keep the heap free of overlap without a search.
    static uint64_t address_of(uint64_t request) { return heap_start + request * 256; }
    bool freed(uint64_t request) const { return request % 8 == 7; }

    SyntheticShape shape_;
    FILE* file_;
    std::vector<ThreadDraft> threads_;
    ChunkEncoder encoder_;
    uint64_t ticket_ = 0;
    bool good_ = true;
};

void Writer::put_head() {
    const FileHeader header = stream::make_file_header(1700000000000000000);
    good_ = fwrite(&header, sizeof header, 1, file_) == 1;
    put_pairs(ChunkKind::process, "pid\0001\0executable\0/synthetic/program\0");
    put_pairs(ChunkKind::module,
              "index\0000\0base\00010000\0end\00020000\0bias\00010000\0bu"
              "ild_id\0a1b2\0path\0/synthetic/program\0");
    std::vector<unsigned char> contexts;
    const auto append = [&contexts](const auto& record) {
        const auto* bytes = reinterpret_cast<const unsigned char*>(&record);
        contexts.insert(contexts.end(), bytes, bytes + sizeof record);
    };
    for (uint32_t i = 0; i < shape_.contexts; ++i) {
        append(ContextRecord{i, 2});
        append(FrameRecord{0x100 + i * 16, 0, 0});
        append(FrameRecord{0x800, 0, 0});
    }
    put({ChunkKind::contexts, process_identity, 0, 0, 0, shape_.contexts}, contexts);
}

void Writer::event(uint32_t thread, EventKind kind, uint64_t request) {
    ThreadDraft& draft = threads_[thread];
    EventRecord record{};
    record.address = address_of(request);
    record.ticket = ++ticket_;
    record.kind = static_cast<decltype(record.kind)>(kind);
    if (kind == EventKind::allocate) {
        record.size = size_of(request);
        record.context = static_cast<uint32_t>(formats::mix(request >> 4) % shape_.contexts);
    }
    draft.events.push_back(record);
    draft.entries.push_back(marker(AccessKind::event));
    if (draft.events.size() == records_per_chunk) flush(thread);
}

void Writer::build() {
    for (uint64_t request = 0; request < shape_.requests; ++request) {
        const auto thread = static_cast<uint32_t>(request % shape_.threads);
        event(thread, EventKind::allocate, request);
        if (freed(request)) event(thread, EventKind::release, request);
    }
}

void Writer::access(uint32_t thread, uint64_t request, uint64_t number) {
    ThreadDraft& draft = threads_[thread];
    const uint64_t store = number % 4 == 3 ? access_store_bit : 0;
    draft.entries.push_back((address_of(request) + number % 2 * 8) | (uint64_t{3} << access_size_shift) |
                            store);
    if (draft.entries.size() >= records_per_chunk) flush_entries(thread);
}

void Writer::walk() {
    uint64_t number = 0;
    for (ThreadDraft& draft : threads_) draft.entries.push_back(marker(AccessKind::time));
    // A stride prime to most counts visits all objects before any a second time.
    for (uint64_t step = 0; number < shape_.accesses; ++step) {
        const uint64_t request = step * 7919 % shape_.requests;
        if (freed(request)) {
            ++number;
            continue;
        }
        const uint64_t touches = 1 + formats::mix(request ^ shape_.seed) % 4;
        for (uint64_t i = 0; i < touches && number < shape_.accesses; ++i, ++number) {
            access(static_cast<uint32_t>(step % shape_.threads), request, number);
        }
    }
}

void Writer::flush_entries(uint32_t thread) {
    ThreadDraft& draft = threads_[thread];
    if (draft.entries.empty()) return;
    put({ChunkKind::accesses, process_identity, thread + 1, draft.access_chunks++, draft.entries_after,
         draft.entries.size()},
        encode_accesses_payload(draft.entries));
    draft.entries.clear();
    draft.entries_after = ticket_;
}

void Writer::flush(uint32_t thread) {
    ThreadDraft& draft = threads_[thread];
    if (!draft.events.empty()) {
        const uint64_t first = draft.events.front().ticket;
        put({ChunkKind::events, process_identity, thread + 1, draft.event_chunks++, first,
             draft.events.size()},
            encode_events_payload(draft.events, first));
        draft.events.clear();
    }
    flush_entries(thread);
}

}  // namespace

bool write_synthetic_profile(const SyntheticShape& shape, const std::string& path) {
    FILE* file = fopen(path.c_str(), "wb");
    if (file == nullptr) return false;
    const bool written = Writer(shape, file).write();
    return (fclose(file) == 0) && written;
}

}  // namespace malloom::native
