// A plan, in memory of the process's own: whoever shortens, changes or replaces the file harms nobody who
// runs with it. Opening checks the header and that every section lies within the file, and reads all but the
// slots of a large plan, which are read as they are needed. What the sections say is not trusted: whoever
// uses an entry checks it.
//
// A file may have several plans, one behind the other, each whole and for another executable.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "formats/plan.h"
#include "runtime/platform/input_file.h"

namespace malloom::heaps {

class PlanFile {
  public:
    /// In a file; the system calls that looking for one takes stay a fraction of a start.
    static constexpr uint64_t most_plans = 64;

    /// Reads the plan at `path`, of several that for the executable `program` (PlanHeader::program), else one
    /// for any executable, else the first. On failure says false and `problem()` says why, in a few words.
    /// Where slots are read later, the file stays open until close().
    bool open(const char* path, uint64_t program = 0);
    /// The same for bytes in memory, which stay the caller's and are 8-byte aligned.
    bool open(const unsigned char* start, size_t bytes);
    void close();

    const char* problem() const { return problem_; }
    const formats::plan::PlanHeader& header() const { return *header_; }
    /// Whether a plan is open that has the flag.
    bool says(formats::plan::PlanFlag flag) const;
    /// PlanHeader::purge_delay; 0 where no plan is open.
    uint64_t purge_delay() const { return contexts_ != nullptr ? header_->purge_delay : 0; }
    const formats::plan::PlanContext* contexts() const { return contexts_; }
    const formats::plan::PlanSlot* slots() const { return slots_; }
    const formats::plan::PlanSequence* sequences() const { return sequences_; }
    const formats::plan::PlanGroup* groups() const { return groups_; }
    const formats::plan::PlanPrefetch* prefetches() const { return prefetches_; }
    uint64_t prefetches_count() const { return header_->prefetches_count; }

    /// Whether the entry says something that can be done; where its load is stays to be checked.
    static bool is_sound(const formats::plan::PlanPrefetch& prefetch);

    /// Its pool_bytes; no_pool where no pool can have them.
    static uint32_t pool_bytes(const formats::plan::PlanContext& context);

    /// Whether slots are read as they are needed, so that pages of them may be given back behind that.
    bool fetches_slots() const { return __atomic_load_n(&fetches_slots_, __ATOMIC_RELAXED); }
    /// Reads those from `first` up to `end`, both of slots(). False where that cannot be done any more: then
    /// some may be zero, which no request has. Thread-safe; errno stays.
    bool fetch_slots(const formats::plan::PlanSlot* first, const formats::plan::PlanSlot* end) const;
    /// Reads them all: from then on fetch_slots makes no system call. Threads may go on asking.
    void fetch_all_slots();
    /// Copies all of them. False likewise.
    bool copy_slots(formats::plan::PlanSlot* into) const;

    bool matches_by_sequence() const;

    /// The entry of this context hash, or nullptr; its slots lie within slots().
    const formats::plan::PlanContext* find_context(uint64_t hash) const;
    /// The sequence of the n-th thread, or nullptr; its slots lie within slots().
    const formats::plan::PlanSequence* sequence(uint64_t thread) const;

  private:
    bool refuse(const char* problem);
    bool find_plan(uint64_t program, formats::plan::PlanHeader& header);
    bool read_header(uint64_t start, formats::plan::PlanHeader& header);
    bool ends_well(uint64_t end);
    bool check_header(size_t bytes);
    bool check_sections();
    bool slots_are_apart() const;
    bool read_file();
    bool read_sections();
    bool read_section(const void* start, uint64_t bytes);
    void find_sections();
    bool lies_within(uint64_t offset, uint64_t count, uint64_t entry_bytes) const;
    bool has_slots(uint64_t first, uint64_t count) const;

    const char* problem_ = "no plan";
    platform::InputFile file_;
    uint64_t start_ = 0;  ///< where the plan begins in the file
    unsigned char* memory_ = nullptr;
    size_t memory_bytes_ = 0;  ///< as many as the plan has
    bool fetches_slots_ = false;
    const formats::plan::PlanHeader* header_ = nullptr;
    const formats::plan::PlanContext* contexts_ = nullptr;
    const formats::plan::PlanSlot* slots_ = nullptr;
    const formats::plan::PlanSequence* sequences_ = nullptr;
    const formats::plan::PlanGroup* groups_ = nullptr;
    const formats::plan::PlanPrefetch* prefetches_ = nullptr;
};

}  // namespace malloom::heaps
