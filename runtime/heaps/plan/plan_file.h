// A plan as it lies in its file, mapped and used in place. Opening checks the header and that every section
// lies within the file, in constant time. What the sections say is not trusted: whoever uses an entry checks
// it.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "formats/plan.h"

namespace malloom::heaps {

class PlanFile {
  public:
    /// Maps the plan at `path`. On failure says false and `problem()` says why, in a few words.
    bool open(const char* path);
    /// The same for bytes in memory, which stay the caller's and are 8-byte aligned.
    bool open(const unsigned char* start, size_t bytes);
    void close();

    const char* problem() const { return problem_; }
    const formats::plan::PlanHeader& header() const { return *header_; }
    /// Whether a plan is open that has the flag.
    bool says(formats::plan::PlanFlag flag) const;
    const formats::plan::PlanContext* contexts() const { return contexts_; }
    const formats::plan::PlanSlot* slots() const { return slots_; }
    const formats::plan::PlanSequence* sequences() const { return sequences_; }
    const formats::plan::PlanGroup* groups() const { return groups_; }
    const formats::plan::PlanPrefetch* prefetches() const { return prefetches_; }
    uint64_t prefetches_count() const { return header_->prefetches_count; }

    /// Whether the entry says something that can be done; where its load is stays to be checked.
    static bool is_sound(const formats::plan::PlanPrefetch& prefetch);

    /// Whether it is mapped from a file, so that its pages may be given back and read again.
    bool is_mapped() const { return mapped_ != nullptr; }

    bool matches_by_sequence() const;

    /// The entry of this context hash, or nullptr; its slots lie within slots().
    const formats::plan::PlanContext* find_context(uint64_t hash) const;
    /// The sequence of the n-th thread, or nullptr; its slots lie within slots().
    const formats::plan::PlanSequence* sequence(uint64_t thread) const;

  private:
    bool refuse(const char* problem);
    bool check_header(size_t bytes);
    bool check_sections();
    bool lies_within(uint64_t offset, uint64_t count, uint64_t entry_bytes) const;
    bool has_slots(uint64_t first, uint64_t count) const;

    const char* problem_ = "no plan";
    const unsigned char* mapped_ = nullptr;
    size_t mapped_bytes_ = 0;
    const formats::plan::PlanHeader* header_ = nullptr;
    const formats::plan::PlanContext* contexts_ = nullptr;
    const formats::plan::PlanSlot* slots_ = nullptr;
    const formats::plan::PlanSequence* sequences_ = nullptr;
    const formats::plan::PlanGroup* groups_ = nullptr;
    const formats::plan::PlanPrefetch* prefetches_ = nullptr;
};

}  // namespace malloom::heaps
