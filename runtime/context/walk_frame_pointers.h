// The walk of processors whose code keeps frame pointers: each frame starts with the caller's frame pointer
// and the return address (AArch64's procedure call standard; RISC-V puts them just below the frame pointer).
#pragma once

#include "runtime/context/call_chain.h"
#include "runtime/context/readable_pages.h"
#include "runtime/context/reduced_chain.h"

namespace malloom::context::walker {

inline constexpr uintptr_t max_frame_bytes = uintptr_t{1} << 28;

#if defined(__riscv)
inline constexpr intptr_t record_offset = -16;
#else
inline constexpr intptr_t record_offset = 0;
#endif

#if defined(__aarch64__)
// Signed return addresses carry their signature above the address (pointer authentication).
inline constexpr uintptr_t address_bits = (uintptr_t{1} << 48) - 1;
#else
inline constexpr uintptr_t address_bits = ~uintptr_t{0};
#endif

[[gnu::always_inline]] __attribute__((no_sanitize("address", "thread", "undefined"))) inline uintptr_t load(
    uintptr_t address) {
    return *reinterpret_cast<const volatile uintptr_t*>(address);
}

// Fills `frames`, whose first is known, tells `trace` what it reads, and gives the number of frames.
template <class Trace>
[[gnu::always_inline]] __attribute__((no_sanitize("address", "thread", "undefined"))) inline unsigned walk(
    const Caller& caller, unsigned depth, uintptr_t* frames, Trace& trace) {
    constexpr uintptr_t word = sizeof(uintptr_t);
    frames[0] &= address_bits;
    uintptr_t frame = caller.frame_pointer;
    uintptr_t below = caller.stack_pointer;
    uintptr_t return_address = frames[0];
    ReducedChain chain(frames, depth);
    // No table says which function a return address lies in, so each address counts as a function: recursion
    // through several call sites of one function stays.
    while (chain.add(return_address, return_address)) {
        trace.used_frame_pointer();
        const uintptr_t record = frame + record_offset;
        if (record % word != 0 || record - below >= max_frame_bytes) {
            break;
        }
        if (!ReadablePages::holds(record) || !ReadablePages::holds(record + word)) {
            break;
        }
        const uintptr_t found = load(record + word);
        trace.read_return_address(record + word, found);
        return_address = found & address_bits;
        if (return_address == 0) {
            break;
        }
        below = record + 2 * word;
        frame = load(record);
        trace.read_frame_pointer(record, frame);
    }
    return chain.count();
}

}  // namespace malloom::context::walker
