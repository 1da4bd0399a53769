// The x86-64 walk: a few loads a frame, by rules that were read from .eh_frame once.
#pragma once

#include "runtime/context/call_chain.h"
#include "runtime/context/frame_rules.h"
#include "runtime/context/readable_pages.h"
#include "runtime/context/reduced_chain.h"

namespace malloom::context::walker {

// Frames larger than this are not followed.
inline constexpr uintptr_t max_frame_bytes = uintptr_t{1} << 28;

// Not checked by sanitizers: it reads frames that are none of its own.
[[gnu::always_inline]] __attribute__((no_sanitize("address", "thread", "undefined"))) inline uintptr_t load(
    uintptr_t address) {
    return *reinterpret_cast<const volatile uintptr_t*>(address);
}

// True where a frame pointer that the CFA is counted from points to the walked part of the stack or above it,
// not too far, at a whole word. Both ends and the alignment in one comparison: rotated, low bits become
// large.
inline bool is_plausible(uintptr_t stack_pointer, uintptr_t frame_pointer) {
    const uintptr_t distance = frame_pointer - stack_pointer;
    return (distance >> 3 | distance << 61) < max_frame_bytes / 8;
}

// Whether `low` and `high`, both between `known`, which is readable, and `high`, can be read.
[[gnu::always_inline]] inline bool can_read(uintptr_t known, uintptr_t low, uintptr_t high) {
    if (ReadablePages::page_of(known ^ high) == 0) {
        [[likely]] return true;
    }
    return ReadablePages::holds(low) && ReadablePages::holds(high);
}

// Fills `frames`, whose first is known, tells `trace` what it reads, and gives the number of frames.
//
// `place` is where the current return address was found: the word below the stack pointer after the return.
// So it is readable, and so is the frame above it as far as its page reaches.
template <class Trace>
[[gnu::always_inline]] __attribute__((no_sanitize("address", "thread", "undefined"))) inline unsigned walk(
    const Caller& caller, unsigned depth, uintptr_t* frames, Trace& trace) {
    uintptr_t return_address = caller.return_address;
    uintptr_t frame_pointer = caller.frame_pointer;
    uintptr_t place = caller.stack_pointer - 8;
    if (place % 8 != 0) {
        return 1;
    }
    ReducedChain chain(frames, depth);
    while (true) {
        const Frame frame = frame_rules.find(return_address);
        if (!chain.add(return_address, frame.function)) {
            break;
        }
        const uint64_t offset = FrameRule::offset_bytes(frame.rule);
        const uint64_t saved = FrameRule::saved_words(frame.rule);
        if (offset == 0) {
            [[unlikely]] break;
        }
        uintptr_t above = place + offset;
        if (FrameRule::from_frame_pointer(frame.rule)) {
            trace.used_frame_pointer();
            if (!is_plausible(place + 8, frame_pointer)) {
                [[unlikely]] break;
            }
            above = frame_pointer - 8 + offset;
        }
        if (!can_read(place, above - 8 * saved, above)) {
            [[unlikely]] break;
        }
        place = above;
        return_address = load(place);
        trace.read_return_address(place, return_address);
        if (saved != 0) {
            frame_pointer = load(place - 8 * saved);
            trace.read_frame_pointer(place - 8 * saved, frame_pointer);
        }
    }
    // What starts a thread or a coroutine may have pushed a 0 to end the stack.
    const unsigned count = chain.count();
    return count > 1 && frames[count - 1] == 0 ? count - 1 : count;
}

}  // namespace malloom::context::walker
