// The x86-64 walk: a few loads a frame, by rules that were read from .eh_frame once.
#include "runtime/context/call_chain.h"
#include "runtime/context/frame_rules.h"
#include "runtime/context/readable_pages.h"

namespace malloom::context {
namespace {

// Frames larger than this are not followed.
constexpr uintptr_t max_frame_bytes = uintptr_t{1} << 28;

// Not checked by sanitizers: it reads frames that are none of its own.
[[gnu::always_inline, gnu::no_sanitize("address", "thread", "undefined")]] inline uintptr_t load(
    uintptr_t address) {
    return *reinterpret_cast<const volatile uintptr_t*>(address);
}

// True where a frame pointer that the CFA is counted from points to the walked part of the stack or above it,
// not too far, at a whole word. Both ends and the alignment in one comparison: rotated, low bits become
// large.
bool is_plausible(uintptr_t stack_pointer, uintptr_t frame_pointer) {
    const uintptr_t distance = frame_pointer - stack_pointer;
    return (distance >> 3 | distance << 61) < max_frame_bytes / 8;
}

// Everything from `low` to `high`, both below one frame's CFA, is about to be read, at most at its ends.
[[gnu::always_inline]] inline bool can_read(uintptr_t known, uintptr_t low, uintptr_t high) {
    if (ReadablePages::page_of(known) == ReadablePages::page_of(high)) [[likely]]
        return true;
    return ReadablePages::holds(low) && ReadablePages::holds(high);
}

}  // namespace

[[gnu::no_sanitize("address", "thread", "undefined")]] unsigned walk_callers(const Caller& caller,
                                                                             unsigned depth,
                                                                             uintptr_t* frames) {
    uintptr_t return_address = caller.return_address;
    uintptr_t stack_pointer = caller.stack_pointer;
    uintptr_t frame_pointer = caller.frame_pointer;
    if (stack_pointer % 8 != 0) return 1;
    unsigned count = 1;
    do {
        const uint64_t rule = frame_rules.find(return_address);
        const uint64_t offset = FrameRule::offset_words(rule);
        const uint64_t saved = FrameRule::saved_words(rule);
        if (offset == 0) [[unlikely]]
            break;
        uintptr_t base = stack_pointer;
        if (FrameRule::from_frame_pointer(rule)) {
            if (!is_plausible(stack_pointer, frame_pointer)) [[unlikely]]
                break;
            base = frame_pointer;
        }
        const uintptr_t cfa = base + 8 * offset;
        // The word below the stack pointer held the last return address, so its page is readable; and all of
        // the frame, where its end lies in the same page.
        if (!can_read(stack_pointer - 8, cfa - 8 * saved, cfa - 8)) [[unlikely]]
            break;
        return_address = load(cfa - 8);
        if (saved != 0) frame_pointer = load(cfa - 8 * saved);
        stack_pointer = cfa;
        frames[count++] = return_address;
    } while (count < depth);
    // What starts a thread or a coroutine may have pushed a 0 to end the stack.
    return count > 1 && frames[count - 1] == 0 ? count - 1 : count;
}

}  // namespace malloom::context
