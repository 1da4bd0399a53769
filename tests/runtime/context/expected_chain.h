// backtrace()'s chain, reduced as the walk's is, by functions that libgcc finds and not malloom.
#pragma once

#include <stdint.h>

#include "runtime/context/reduced_chain.h"

/// libgcc: the start of the function that holds the call which returns to `return_address`; null where no
/// table says.
extern "C" void* _Unwind_FindEnclosingFunction(void* return_address);

/// No allocation. Written for clarity, so its cost is quadratic.
struct ExpectedChain {
    uintptr_t frames[malloom::context::max_depth];
    uintptr_t functions[malloom::context::max_depth];
    unsigned count = 0;

    /// Reduces `found` return addresses, innermost first.
    void reduce(void* const* returns, unsigned found) {
        unsigned folded = 0;
        for (unsigned i = 0; i < found && count < malloom::context::max_depth; ++i) {
            const auto function = function_of(returns[i]);
            if (!has(function)) {
                frames[count] = reinterpret_cast<uintptr_t>(returns[i]);
                functions[count++] = function;
            } else if (++folded > malloom::context::max_folded) {
                return;
            }
        }
    }

    static uintptr_t function_of(void* return_address) {
        void* start = _Unwind_FindEnclosingFunction(return_address);
        return reinterpret_cast<uintptr_t>(start != nullptr ? start : return_address);
    }

    bool has(uintptr_t function) const {
        for (unsigned i = 0; i < count; ++i) {
            if (functions[i] == function) {
                return true;
            }
        }
        return false;
    }
};
