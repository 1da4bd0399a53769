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

// True where the CFA lies above the stack pointer, by at least the return address and not too far, in whole
// words. Both ends and the alignment in one comparison: rotated, low bits become large.
bool is_caller_of(uintptr_t stack_pointer, uintptr_t cfa) {
    const uintptr_t distance = cfa - stack_pointer - 8;
    return (distance >> 3 | distance << 61) < max_frame_bytes / 8;
}

}  // namespace

[[gnu::no_sanitize("address", "thread", "undefined")]] unsigned walk_callers(const Caller& caller,
                                                                             unsigned depth,
                                                                             uintptr_t* frames) {
    uintptr_t return_address = caller.return_address;
    uintptr_t stack_pointer = caller.stack_pointer;
    uintptr_t frame_pointer = caller.frame_pointer;
    // The call that brought us here pushed its return address, so that page is readable.
    uintptr_t page = ReadablePages::page_of(stack_pointer - 8);
    unsigned count = 1;
    do {
        const uint64_t rule = frame_rules.find(return_address);
        const uintptr_t base = FrameRule::from_frame_pointer(rule) ? frame_pointer : stack_pointer;
        const uintptr_t cfa = base + FrameRule::offset_bytes(rule);
        if (!is_caller_of(stack_pointer, cfa)) break;
        const uintptr_t place = cfa - 8;
        const uintptr_t saved = cfa - FrameRule::saved_bytes(rule);
        if (ReadablePages::page_of(place) != page && !ReadablePages::holds(place)) break;
        page = ReadablePages::page_of(place);
        return_address = load(place);
        if (saved != cfa) {
            if (ReadablePages::page_of(saved) != page && !ReadablePages::holds(saved)) break;
            frame_pointer = load(saved);
        }
        if (return_address == 0) break;
        stack_pointer = cfa;
        frames[count++] = return_address;
    } while (count < depth);
    return count;
}

}  // namespace malloom::context
