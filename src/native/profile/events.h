// The events of a process in the order of their tickets, from the chunks of its threads.
#pragma once

#include <stdint.h>

#include <functional>
#include <queue>
#include <utility>
#include <vector>

#include "formats/profile.h"
#include "src/native/profile/recording.h"

namespace malloom::native {

/// One thread's events in order. Holds one decoded chunk.
class EventCursor {
  public:
    explicit EventCursor(const ChunkList& chunks) : chunks_(&chunks) { load(); }

    /// nullptr at the end.
    const formats::profile::EventRecord* peek() const {
        return next_ < events_.size() ? &events_[next_] : nullptr;
    }
    void advance() {
        if (++next_ == events_.size()) load();
    }
    uint64_t corrupt_chunks() const { return corrupt_; }

  private:
    void load();
    bool decode(const stream::ChunkView& chunk);

    const ChunkList* chunks_;
    size_t chunk_ = 0;
    size_t next_ = 0;
    uint64_t corrupt_ = 0;
    uint64_t last_ticket_ = 0;  ///< of the chunks so far
    std::vector<unsigned char> payload_;
    std::vector<formats::profile::EventRecord> events_;
};

/// Merges the threads of a process, which must outlive it.
class EventStream {
  public:
    static constexpr uint64_t no_ticket = ~uint64_t{0};

    explicit EventStream(const ProcessChunks& process);

    /// Ticket of the next event; no_ticket at the end.
    uint64_t next_ticket() const { return next_ticket_; }
    const formats::profile::EventRecord& event() const { return *cursors_[current_].peek(); }
    /// Index in ProcessChunks::threads.
    uint32_t thread() const { return current_; }
    void advance();

    /// Chunks that could not be decoded so far.
    uint64_t corrupt_chunks() const;

  private:
    // A thread that waits for its turn: the ticket of its next event, and its cursor.
    using Waiting = std::pair<uint64_t, uint32_t>;

    void wait(uint32_t cursor);
    void choose();
    uint64_t ticket_of(size_t cursor) const;

    std::vector<EventCursor> cursors_;
    std::priority_queue<Waiting, std::vector<Waiting>, std::greater<>> waiting_;
    uint32_t current_ = 0;
    uint64_t next_ticket_ = no_ticket;
    uint64_t others_ticket_ = no_ticket;  ///< the lowest of the other threads
};

}  // namespace malloom::native
