// The accesses of a process, resolved to its requests' objects while its events go by.
#pragma once

#include <stdint.h>

#include <span>
#include <vector>

#include "src/native/accesses/source.h"
#include "src/native/profile/events.h"
#include "src/native/profile/live_objects.h"
#include "src/native/profile/recording.h"

namespace malloom::native {

/// One thread's entries (see AccessKind in formats/profile.def), a decoded chunk at a time. An access lies
/// between the events whose tickets the markers around it give.
class AccessCursor {
  public:
    static constexpr uint64_t no_ticket = EventStream::no_ticket;

    explicit AccessCursor(const ChunkList& chunks) : chunks_(&chunks) { skip_markers(); }

    /// The next access comes after the event with this ticket; no_ticket at the end.
    uint64_t position() const { return position_; }

    /// The accesses up to the next marker or the chunk's end.
    std::span<const uint64_t> run() const { return {&entries_[next_], run_end_ - next_}; }
    /// Passes `count` entries of the run.
    void pass(size_t count);

    uint64_t corrupt_chunks() const { return corrupt_; }

  private:
    bool load();
    bool decode(const stream::ChunkView& chunk);
    void skip_markers();

    const ChunkList* chunks_;
    size_t chunk_ = 0;
    size_t next_ = 0;
    size_t run_end_ = 0;
    uint64_t position_ = 0;
    uint64_t corrupt_ = 0;
    std::vector<unsigned char> payload_;
    std::vector<uint64_t> entries_;
};

/// Chunks of accesses that are not as they were written, so that nothing of them is yielded. Reads them all,
/// at the speed of their checksum.
uint64_t corrupt_access_chunks(const ProcessChunks& process);

/// Yields the accesses of `process` (which must outlive it) that reach an object alive at that moment, and
/// the annotated ones. Accesses of different threads between the same two tickets come thread by thread.
///
/// With `take` it yields windows: in turn `skip` recorded accesses are left out, of which nobody asks what
/// they reach, and so many are taken.
class RecordedAccesses : public AccessSource {
  public:
    explicit RecordedAccesses(const ProcessChunks& process, uint64_t skip = 0, uint64_t take = 0);

    std::span<const ResolvedAccess> next_batch() override;

    /// Accesses so far that reached no object.
    uint64_t dropped() const { return dropped_; }
    uint64_t corrupt_chunks() const;

  private:
    static constexpr size_t batch_accesses = 8192;
    static constexpr size_t block_accesses = 32;  ///< look-ups that wait for memory together

    void choose_cursor();
    void apply_event();
    void touch(const formats::profile::EventRecord& event);
    void resolve_run(AccessCursor& cursor);
    void pass(AccessCursor& cursor, size_t count);
    void count_taken(uint64_t count);
    ResolvedAccess* resolve_block(std::span<const uint64_t> entries, ResolvedAccess* out) const;

    EventStream events_;
    LiveObjects objects_;
    std::vector<AccessCursor> cursors_;
    AccessCursor* cursor_ = nullptr;  ///< the one whose position is lowest
    uint64_t skip_;
    uint64_t take_;
    uint64_t left_out_;  ///< that are still to be left out
    uint64_t left_in_;   ///< that are taken after these, before others are left out
    uint64_t dropped_ = 0;
    size_t filled_ = 0;
    std::vector<ResolvedAccess> batch_;
};

}  // namespace malloom::native
