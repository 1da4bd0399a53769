// Counts for the line that statistics=1 asks for, or statistics=json as an object. Counting is off the path
// of programs that did not ask.
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "runtime/front/route.h"
#include "runtime/platform/executable_name.h"
#include "runtime/platform/output.h"

namespace malloom::front {

/// Requests that the entries for the optimiser serve from pools (dynamic_entries.h), where they are to be
/// counted. All zero until then.
struct DynamicCounts {
    bool are_wanted;
    uint64_t requests;
    uint64_t bytes;

    void count(size_t size) {
        __atomic_fetch_add(&requests, 1, __ATOMIC_RELAXED);
        __atomic_fetch_add(&bytes, size, __ATOMIC_RELAXED);
    }
};
extern DynamicCounts dynamic_counts [[gnu::visibility("hidden")]];

/// What became of the plan.
struct PlanFate {
    const char* state;        ///< what it was doing in the end
    uint64_t ended_at;        ///< requests until the fallback alone was left; 0: it was not
    uint64_t given_up;        ///< as PlanHeap::given_up
    uint32_t groups;          ///< how many
    uint32_t stopped_groups;  ///< as GroupHeap::stopped
};

class Statistics {
  public:
    /// Keeps a copy of stderr for the line at the end: many programs close theirs before they leave.
    /// `region_heap` is the name of the one that serves, which stays, or null.
    void open(const char* region_heap, bool is_json);

    /// A request that got an object of this heap. Bytes are those asked for, not those of the place.
    void count(Owner owner, size_t bytes);

    /// Writes the line.
    void write(const PlanFate& plan, Sites& sites) const;

    /// Counted so far.
    uint64_t requests() const;

    /// Where lines for the user go.
    int descriptor() const;

  private:
    void write_line(const PlanFate& plan, Sites& sites) const;
    void write_object(const PlanFate& plan, Sites& sites) const;
    // What pools have served, of so many requests; nothing where there are none.
    void add_pooled(platform::Line& line, uint64_t requests, Sites& sites) const;

    bool has_output_ = false;
    int descriptor_ = -1;
    dev_t device_ = 0;  ///< what it was a copy of
    ino_t inode_ = 0;
    bool is_json_ = false;
    platform::ExecutableName executable_;
    struct Count {
        uint64_t requests;
        uint64_t bytes;
    };
    Count of(Owner owner) const;

    Count counts_[static_cast<unsigned>(Owner::fallback) + 1] = {};  ///< by owner; atomic
    const char* region_heap_ = nullptr;
};

}  // namespace malloom::front
