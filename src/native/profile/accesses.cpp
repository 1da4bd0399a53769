#include "src/native/profile/accesses.h"

#include <algorithm>

#include "record/stream/records.h"

namespace malloom::native {

using namespace formats::profile;

namespace {

AccessKind kind_of(uint64_t entry) {
    return static_cast<AccessKind>(entry >> access_kind_shift);
}

/// An annotated access says nothing of its width: a word.
constexpr uint64_t word_size = uint64_t{3} << ResolvedAccess::size_shift;

}  // namespace

bool AccessCursor::load() {
    next_ = run_end_ = 0;
    entries_.clear();
    while (entries_.empty() && chunk_ < chunks_->size()) {
        const stream::ChunkView& chunk = *(*chunks_)[chunk_++];
        position_ = std::max(position_, chunk.header.first_ticket);
        if (!decode(chunk)) {
            ++corrupt_;
            entries_.clear();
        }
        stream::ChunkReader::let_go(chunk);
    }
    return !entries_.empty();
}

bool AccessCursor::decode(const stream::ChunkView& chunk) {
    return stream::ChunkReader::decode(chunk, payload_) &&
           stream::read_entries(chunk.header, payload_, entries_);
}

void AccessCursor::skip_markers() {
    for (;;) {
        if (next_ == entries_.size() && !load()) {
            position_ = no_ticket;
            return;
        }
        const uint64_t entry = entries_[next_];
        if (kind_of(entry) == AccessKind::access) break;
        position_ = std::max(position_, entry & access_ticket_mask);
        ++next_;
    }
    run_end_ = next_;
    while (run_end_ < entries_.size() && kind_of(entries_[run_end_]) == AccessKind::access) ++run_end_;
}

void AccessCursor::pass(size_t count) {
    next_ += count;
    if (next_ == run_end_) skip_markers();
}

uint64_t corrupt_access_chunks(const ProcessChunks& process) {
    uint64_t corrupt = 0;
    for (const ThreadChunks& thread : process.threads) {
        for (const stream::ChunkView* chunk : thread.accesses) {
            corrupt += stream::ChunkReader::is_whole(*chunk) ? 0 : 1;
            stream::ChunkReader::let_go(*chunk);
        }
    }
    return corrupt;
}

RecordedAccesses::RecordedAccesses(const ProcessChunks& process, uint64_t skip, uint64_t take)
    : events_(process),
      objects_(process.expected_requests()),
      skip_(take != 0 ? skip : 0),
      take_(take != 0 ? take : never),
      left_out_(skip_),
      left_in_(take_),
      batch_(batch_accesses) {
    cursors_.reserve(process.threads.size());
    for (const ThreadChunks& thread : process.threads) cursors_.emplace_back(thread.accesses);
    choose_cursor();
}

void RecordedAccesses::choose_cursor() {
    cursor_ = nullptr;
    for (AccessCursor& cursor : cursors_) {
        if (cursor.position() == AccessCursor::no_ticket) continue;
        if (cursor_ == nullptr || cursor.position() < cursor_->position()) cursor_ = &cursor;
    }
}

std::span<const ResolvedAccess> RecordedAccesses::next_batch() {
    filled_ = 0;
    while (filled_ < batch_accesses) {
        const uint64_t event = events_.next_ticket();
        if (cursor_ != nullptr && cursor_->position() < event) {
            resolve_run(*cursor_);
        } else if (event != EventStream::no_ticket) {
            apply_event();
        } else {
            break;
        }
    }
    return {batch_.data(), filled_};
}

void RecordedAccesses::apply_event() {
    const EventRecord& event = events_.event();
    switch (static_cast<EventKind>(event.kind)) {
        case EventKind::allocate:
        case EventKind::allocate_zeroed:
        case EventKind::reallocate:
            objects_.allocate({event.address, event.size});
            break;
        case EventKind::release:
        case EventKind::reallocate_release:
            objects_.release(event.address);
            break;
        case EventKind::touch:
            touch(event);
            break;
        default:
            break;
    }
    events_.advance();
}

void RecordedAccesses::touch(const EventRecord& event) {
    if (left_out_ != 0) {
        --left_out_;
        return;
    }
    count_taken(1);
    const uint32_t request = objects_.find(event.address);
    if (request == LiveObjects::none) {
        ++dropped_;
        return;
    }
    const uint64_t offset = event.address - objects_.extent(request).address;
    const auto weight = static_cast<uint32_t>(std::clamp<uint64_t>(event.size, 1, UINT32_MAX));
    batch_[filled_++] = {request, weight, offset | word_size};
}

ResolvedAccess* RecordedAccesses::resolve_block(std::span<const uint64_t> entries,
                                                ResolvedAccess* out) const {
    uint32_t guesses[block_accesses] = {};
    for (const uint64_t entry : entries) objects_.prefetch(entry & access_address_mask);
    for (size_t i = 0; i < entries.size(); ++i) guesses[i] = objects_.guess(entries[i] & access_address_mask);
    for (size_t i = 0; i < entries.size(); ++i) {
        const uint64_t address = entries[i] & access_address_mask;
        uint32_t request = guesses[i];
        if (request == LiveObjects::none || !objects_.contains(request, address)) {
            request = objects_.shares_granules() ? objects_.find(address) : LiveObjects::none;
            if (request == LiveObjects::none) continue;
        }
        const uint64_t attributes = entries[i] & ~access_address_mask;
        *out++ = {request, 1, (address - objects_.extent(request).address) | attributes};
    }
    return out;
}

void RecordedAccesses::count_taken(uint64_t count) {
    left_in_ -= count;
    if (left_in_ != 0) return;
    left_in_ = take_;
    left_out_ = skip_;
}

void RecordedAccesses::pass(AccessCursor& cursor, size_t count) {
    const uint64_t before = cursor.position();
    cursor.pass(count);
    if (cursor.position() != before) choose_cursor();
}

void RecordedAccesses::resolve_run(AccessCursor& cursor) {
    if (left_out_ != 0) {
        const uint64_t count = std::min<uint64_t>(cursor.run().size(), left_out_);
        left_out_ -= count;
        pass(cursor, count);
        return;
    }
    const size_t room = std::min<uint64_t>(batch_accesses - filled_, left_in_);
    const auto run = cursor.run().first(std::min(cursor.run().size(), room));
    ResolvedAccess* const begin = batch_.data() + filled_;
    ResolvedAccess* out = begin;
    for (size_t i = 0; i < run.size(); i += block_accesses) {
        out = resolve_block(run.subspan(i, std::min(block_accesses, run.size() - i)), out);
    }
    const auto resolved = static_cast<size_t>(out - begin);
    filled_ += resolved;
    dropped_ += run.size() - resolved;
    count_taken(run.size());
    pass(cursor, run.size());
}

uint64_t RecordedAccesses::corrupt_chunks() const {
    uint64_t corrupt = events_.corrupt_chunks();
    for (const AccessCursor& cursor : cursors_) corrupt += cursor.corrupt_chunks();
    return corrupt;
}

}  // namespace malloom::native
