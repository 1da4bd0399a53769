// What a run learned, as a plan for the next one.
#pragma once

#include <limits.h>
#include <stdint.h>

#include "runtime/front/options.h"
#include "runtime/front/sites.h"
#include "runtime/heaps/plan/plan_file.h"
#include "runtime/heaps/plan/plan_writer.h"

namespace malloom::front {

class PlanSaving {
  public:
    /// Notes where the plan is to go. The options are not needed afterwards.
    void open(const Options& options);

    /// Whether this process is one that was asked to save a plan: the first, not its children, or each that
    /// runs an executable of a certain name.
    bool is_wanted() const;

    /// Writes the plan, with what `base`, the plan of this run, says besides; null: there is none. Says on
    /// `descriptor` why where it cannot, or where tokens say who asks and did not when `base` was learned, or
    /// the other way about: one plan cannot have both. Threads may go on asking for memory.
    void save(Sites& sites, const heaps::PlanFile* base, bool takes_tokens, int descriptor) const;

  private:
    bool is_less_than_saved(const heaps::LearnedPlan& learned) const;

    uint64_t process_ = 0;
    bool is_one_of_several_ = false;  ///< that may all save
    char path_[PATH_MAX] = {};
};

}  // namespace malloom::front
