// What a trace that is being profiled writes: a row for each entry, with a column for each of its loads.
#pragma once

#include <stddef.h>
#include <stdint.h>

namespace malloom::optimizer {

/// Written by code in the code cache, perhaps by several threads at once. They take rows from one counter
/// without locks: two may take the same row, or one be lost, which spoils a sample and nothing else. A row's
/// number is the counter's lowest byte, so no write leaves the profile, however far the counter runs. Never
/// unmapped, for an entry may be under way while its profile has been analysed already and serves another
/// trace.
struct TraceProfile {
    static constexpr size_t rows = 256;
    static constexpr size_t most_loads = 16;

    uintptr_t stacks[rows];                  ///< the stack pointer at the entry
    uintptr_t references[most_loads][rows];  ///< base addresses; 0 where the entry did not reach the load

    /// Empties it, for a trace with so many loads.
    void begin(size_t loads);
};

/// Of which a trace's code knows the address. Its lower 16 bits count; at 0 the trace calls out.
struct EntryCounter {
    uint64_t countdown;
    TraceProfile* profile;  ///< whose rows the entries take
};

/// One load's references by one thread, in the order of time.
struct LoadReferences {
    uintptr_t addresses[TraceProfile::rows];
    size_t count = 0;
};

/// The rows of a profile that the thread wrote whose entry was the last. Threads are told apart by their
/// stacks: in another thread's references the stride of this one would not be found.
class ThreadRows {
  public:
    /// `entries`: from which the counter counted down, 1 to TraceProfile::rows.
    ThreadRows(const TraceProfile& profile, size_t entries);

    /// Entries of that thread.
    size_t count() const { return count_; }

    /// Its stack pointer at the last of them.
    uintptr_t stack() const { return profile_.stacks[0]; }

    void gather(size_t load, LoadReferences& into) const;

  private:
    const TraceProfile& profile_;
    uint8_t rows_[TraceProfile::rows];
    size_t count_ = 0;
};

}  // namespace malloom::optimizer
