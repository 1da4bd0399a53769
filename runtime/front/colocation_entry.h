// From an entry of the malloc family to a function that wants one of the registers of the entry's caller: the
// one that holds the new object's companion.
#pragma once

#include "runtime/front/colocation.h"

// Defines `void* name(bytes, colocation, size_t, place)`, to be called in an entry's place by a tail call, so
// that the callee-saved registers are still the entry's caller's; `target`, extern "C", is called in its
// place with bytes, the colocation and what the register of that place (CallerState::Register) holds. Storing
// all of them, as MALLOOM_CALLER_STATE_ENTRY does, costs more than the rest of the request.
#if defined(__x86_64__)
#define MALLOOM_COLOCATION_ENTRY(name, target)                                                            \
    extern "C" void* target(size_t bytes, const malloom::front::Colocation& colocation,                   \
                            uintptr_t companion);                                                         \
    [[gnu::naked, gnu::noinline, gnu::used]] inline void* name(size_t, const malloom::front::Colocation&, \
                                                               size_t, uint32_t) {                        \
        __asm__(                                                                                          \
            "movq %rbx, %rdx\n\t"                                                                         \
            "cmpl $1, %ecx\n\t"                                                                           \
            "cmoveq %rbp, %rdx\n\t"                                                                       \
            "cmovaq %r12, %rdx\n\t"                                                                       \
            "cmpl $3, %ecx\n\t"                                                                           \
            "cmoveq %r13, %rdx\n\t"                                                                       \
            "cmovaq %r14, %rdx\n\t"                                                                       \
            "cmpl $5, %ecx\n\t"                                                                           \
            "cmoveq %r15, %rdx\n\t"                                                                       \
            "jmp " #target);                                                                              \
    }
#endif
