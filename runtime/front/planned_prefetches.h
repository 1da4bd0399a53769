// The prefetches that a plan carries, put into the program's code at start.
#pragma once

#include "runtime/codegen/x86_64/load_patcher.h"
#include "runtime/heaps/plan/plan_file.h"
#include "runtime/platform/output.h"

namespace malloom::front {

/// One static object, constant-initialized.
class PlannedPrefetches {
  public:
    /// The plan whose prefetches are wanted. It stays open as long as the process.
    void open(const heaps::PlanFile& plan) { plan_ = &plan; }

    /// Patches the loads of the objects that are loaded now. Once, by a constructor, never within a request:
    /// it loads the decoder. Objects that are loaded later stay as they are.
    void put_in();

    /// "; prefetches 3 of 4 (2 pages)", and what is wrong where something is; nothing where the plan has
    /// none.
    void describe(platform::Line& line) const;

  private:
    const heaps::PlanFile* plan_ = nullptr;
    codegen::x86_64::Patched patched_;
};

extern constinit PlannedPrefetches
    planned_prefetches;  // NOLINT(bugprone-dynamic-static-initializers): it is constinit

}  // namespace malloom::front
