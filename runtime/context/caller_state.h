// What a caller of the malloc family holds in its hands at the call.
#pragma once

#include <stdint.h>

#include "runtime/context/caller.h"
#include "runtime/context/readable_pages.h"

namespace malloom::context {

/// The callee-saved registers of a caller and the lowest words of its frame: where a compiler keeps what is
/// needed after the call, such as the object that is to point to the new one. Each is a place with a number,
/// the same at every call from one call site.
///
/// `registers`, in this order, and `return_address` are what an entry in assembler stored; they lie below the
/// caller's frame on the stack.
struct CallerState {
    enum Register : uint32_t { rbx, rbp, r12, r13, r14, r15, registers_count };
    static constexpr uint32_t frame_words = 16;
    static constexpr uint32_t places = registers_count + frame_words;

    uintptr_t registers[registers_count];
    uintptr_t return_address;
    const uintptr_t* frame;  ///< the caller's stack pointer after the return

    /// Where no more is known; the other registers count as 0.
    static CallerState of(const Caller& caller) {
        return {{0, caller.frame_pointer},
                caller.return_address,
                reinterpret_cast<const uintptr_t*>(caller.stack_pointer)};
    }

    [[nodiscard]] Caller caller() const {
        return {return_address, reinterpret_cast<uintptr_t>(frame), registers[rbp]};
    }

    /// The places that can be read; of a frame that ends with its stack not all are.
    [[nodiscard]] uint32_t readable_places() const {
        const auto last = reinterpret_cast<uintptr_t>(frame + frame_words) - 1;
        const auto first = reinterpret_cast<uintptr_t>(frame);
        const bool is_readable =
            ReadablePages::page_of(first) == ReadablePages::page_of(last) || ReadablePages::holds(last);
        return is_readable ? places : registers_count;
    }

    /// What is in a place below readable_places. Not checked by sanitizers: the frame is another's.
    [[nodiscard]] __attribute__((no_sanitize("address", "thread", "undefined"))) uintptr_t
    word(uint32_t place) const {
        return place < registers_count
                   ? registers[place]
                   : *static_cast<const volatile uintptr_t*>(frame + (place - registers_count));
    }
};

}  // namespace malloom::context
