// From an entry of the malloc family to a function that wants what the entry's caller held in its registers:
// in all of them, or in the one that holds the new object's companion.
#pragma once

#include "runtime/context/caller_state.h"
#include "runtime/front/colocation.h"

// Defines `void* name(size_t bytes)`, to be called in an entry's place by a tail call, so that the
// callee-saved registers are still the entry's caller's; `target`, extern "C", gets bytes and a const
// CallerState&. Compiled code would use those registers itself. Whether an unwinder can pass is said as in
// any other function.
#if defined(__x86_64__)
#define MALLOOM_CALLER_STATE_ENTRY(name, target)                                        \
    extern "C" void* target(size_t bytes, const malloom::context::CallerState& caller); \
    [[gnu::naked, gnu::noinline, gnu::used]] inline void* name(size_t) {                \
        __asm__(                                                                        \
            "subq $72, %rsp\n\t"                                                        \
            ".cfi_adjust_cfa_offset 72\n\t"                                             \
            "movq %rbx, (%rsp)\n\t"                                                     \
            "movq %rbp, 8(%rsp)\n\t"                                                    \
            "movq %r12, 16(%rsp)\n\t"                                                   \
            "movq %r13, 24(%rsp)\n\t"                                                   \
            "movq %r14, 32(%rsp)\n\t"                                                   \
            "movq %r15, 40(%rsp)\n\t"                                                   \
            "movq 72(%rsp), %rax\n\t"                                                   \
            "movq %rax, 48(%rsp)\n\t"                                                   \
            "leaq 80(%rsp), %rax\n\t"                                                   \
            "movq %rax, 56(%rsp)\n\t"                                                   \
            "movq %rsp, %rsi\n\t"                                                       \
            "call " #target                                                             \
            "\n\t"                                                                      \
            "addq $72, %rsp\n\t"                                                        \
            ".cfi_adjust_cfa_offset -72\n\t"                                            \
            "ret");                                                                     \
    }
static_assert(sizeof(malloom::context::CallerState) == 64);
#else
// Elsewhere the frame alone is searched.
#define MALLOOM_CALLER_STATE_ENTRY(name, target)                                                     \
    extern "C" void* target(size_t bytes, const malloom::context::CallerState& caller);              \
    [[gnu::noinline]] inline void* name(size_t bytes) {                                              \
        return target(bytes, malloom::context::CallerState::of(malloom::context::current_caller())); \
    }
#endif

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
