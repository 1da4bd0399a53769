// Who called an entry point of the malloc family, as the processor's registers said at the call.
#pragma once

#include <stdint.h>

namespace malloom::context {

/// The registers of a caller at the instruction after its call.
struct Caller {
    uintptr_t return_address;
    uintptr_t stack_pointer;  ///< after the return, so what the call pushed is gone
    uintptr_t frame_pointer;  ///< rbp or x29, whether or not the caller uses it as a frame pointer
};

/// The caller of the function that this is inlined into, which gets a frame pointer by it. Reads that frame
/// only.
[[gnu::always_inline]] inline Caller current_caller() {
    auto* frame = static_cast<uintptr_t*>(__builtin_frame_address(0));
#if defined(__x86_64__)
    // The frame starts with the saved rbp and the return address; above them is the caller's stack.
    const auto stack_pointer = reinterpret_cast<uintptr_t>(frame + 2);
#else
    const auto stack_pointer = reinterpret_cast<uintptr_t>(__builtin_dwarf_cfa());
#endif
    return {reinterpret_cast<uintptr_t>(__builtin_return_address(0)), stack_pointer, frame[0]};
}

}  // namespace malloom::context
