// Keeps recursion out of call chains.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "runtime/context/call_chain.h"

namespace malloom::context {

/// Frames that a walk leaves out before it gives up. It does not depend on the depth that is asked for, and
/// so a chain is always the beginning of the deeper chain of the same place.
inline constexpr unsigned max_folded = 8;

/// Gathers a reduced call chain: of each function only the innermost frame, as HALO does for call sites
/// (Savage, Jones: CGO 2020, "reduced contexts"). Without it a recursive program has contexts without number,
/// one for each path that its recursion took. A function is known by any number that no other has.
class ReducedChain {
  public:
    /// `frames` has room for `depth` (1 to max_depth) return addresses.
    ReducedChain(uintptr_t* frames, unsigned depth) : frames_(frames), depth_(depth) {}

    /// Adds a caller, from the inside out. False where the chain is complete: it has `depth` frames, or
    /// max_folded callers and this one were left out.
    [[gnu::always_inline]] bool add(uintptr_t return_address, uintptr_t function) {
        const uint64_t seen = seen_ | uint64_t{1} << (function / function_alignment % 64);
        if (seen == seen_) {
            [[unlikely]] if (has(function)) { return ++folded_ <= max_folded; }
        }
        seen_ = seen;
        functions_[count_] = function;
        frames_[count_] = return_address;
        return ++count_ != depth_;
    }

    unsigned count() const { return static_cast<unsigned>(count_); }

  private:
    // Compilers start functions at multiples of this.
    static constexpr uintptr_t function_alignment = 16;

    // Recursion mostly comes back to the function that was added last.
    [[gnu::always_inline]] bool has(uintptr_t function) const {
        for (size_t i = count_; i-- > 0;) {
            if (functions_[i] == function) {
                return true;
            }
        }
        return false;
    }

    uintptr_t* const frames_;
    const size_t depth_;
    size_t count_ = 0;
    unsigned folded_ = 0;
    uint64_t seen_ = 0;  // a bit for each function added, some share one
    uintptr_t functions_[max_depth];
};

}  // namespace malloom::context
