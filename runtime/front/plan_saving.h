// What a run learned, as a plan for the next one.
#pragma once

#include <limits.h>
#include <stdint.h>

#include "runtime/front/options.h"
#include "runtime/front/sites.h"
#include "runtime/heaps/plan/plan_file.h"

namespace malloom::front {

class PlanSaving {
  public:
    /// Notes where the plan is to go. The options are not needed afterwards.
    void open(const Options& options);

    /// Whether this process is the one that was asked to save a plan: the first, not its children.
    bool is_wanted() const;

    /// Writes the plan, with what `base`, the plan of this run, says besides; null: there is none. Says on
    /// `descriptor` why where it cannot. Threads may go on asking for memory.
    void save(Sites& sites, const heaps::PlanFile* base, int descriptor) const;

  private:
    uint64_t process_ = 0;
    char path_[PATH_MAX] = {};
};

}  // namespace malloom::front
