#include "src/native/profile/events.h"

#include <tuple>

#include "record/stream/records.h"

namespace malloom::native {

void EventCursor::load() {
    next_ = 0;
    events_.clear();
    while (events_.empty() && chunk_ < chunks_->size()) {
        if (!decode(*(*chunks_)[chunk_++])) {
            ++corrupt_;
            events_.clear();
        }
    }
}

bool EventCursor::decode(const stream::ChunkView& chunk) {
    if (!stream::ChunkReader::decode(chunk, payload_)) return false;
    if (!stream::read_events(chunk.header, payload_, events_)) return false;
    if (stream::plausible_events(events_.data(), events_.size(), last_ticket_) != events_.size())
        return false;
    if (!events_.empty()) last_ticket_ = events_.back().ticket;
    return true;
}

EventStream::EventStream(const ProcessChunks& process) {
    cursors_.reserve(process.threads.size());
    for (const ThreadChunks& thread : process.threads) {
        cursors_.emplace_back(thread.events);
        wait(static_cast<uint32_t>(cursors_.size() - 1));
    }
    choose();
}

uint64_t EventStream::ticket_of(size_t cursor) const {
    const auto* event = cursors_[cursor].peek();
    return event != nullptr ? event->ticket : no_ticket;
}

void EventStream::wait(uint32_t cursor) {
    if (const uint64_t ticket = ticket_of(cursor); ticket != no_ticket) waiting_.emplace(ticket, cursor);
}

void EventStream::choose() {
    next_ticket_ = others_ticket_ = no_ticket;
    if (waiting_.empty()) return;
    std::tie(next_ticket_, current_) = waiting_.top();
    waiting_.pop();
    if (!waiting_.empty()) others_ticket_ = waiting_.top().first;
}

void EventStream::advance() {
    cursors_[current_].advance();
    next_ticket_ = ticket_of(current_);
    if (next_ticket_ < others_ticket_) return;
    wait(current_);
    choose();
}

uint64_t EventStream::corrupt_chunks() const {
    uint64_t corrupt = 0;
    for (const EventCursor& cursor : cursors_) corrupt += cursor.corrupt_chunks();
    return corrupt;
}

}  // namespace malloom::native
