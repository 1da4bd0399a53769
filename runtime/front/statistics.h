// Counts for the line that statistics=1 asks for, or statistics=json as an object. Counting is off the path
// of programs that did not ask.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "runtime/front/route.h"
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

class Statistics {
  public:
    /// Keeps a copy of stderr for the line at the end: many programs close theirs before they leave.
    /// `region_heap` is the name of the one that serves, which stays, or null.
    void open(const char* region_heap, bool is_json);

    /// A request that got an object of this heap. Bytes are those asked for, not those of the place.
    void count(Owner owner, size_t bytes);

    /// Writes the line. `state` says what the plan was doing in the end; `given_up` as PlanHeap::given_up;
    /// `stopped_groups` as GroupHeap::stopped.
    void write(const char* state, uint64_t given_up, uint32_t groups, uint32_t stopped_groups,
               Sites& sites) const;

    /// Where lines for the user go.
    int descriptor() const;

  private:
    uint64_t requests() const;
    void write_line(const char* state, uint64_t given_up, uint32_t groups, uint32_t stopped_groups,
                    Sites& sites) const;
    void write_object(const char* state, uint64_t given_up, uint32_t groups, uint32_t stopped_groups,
                      Sites& sites) const;
    // What pools have served, of so many requests; nothing where there are none.
    void add_pooled(platform::Line& line, uint64_t requests, Sites& sites) const;

    int descriptor_ = -1;
    bool is_json_ = false;
    struct Count {
        uint64_t requests;
        uint64_t bytes;
    };
    Count of(Owner owner) const;

    Count counts_[static_cast<unsigned>(Owner::fallback) + 1] = {};  ///< by owner; atomic
    const char* region_heap_ = nullptr;
};

}  // namespace malloom::front
