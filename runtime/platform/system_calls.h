// Which system calls are still made: programs forbid themselves some, or all (seccomp), and a call of those
// ends them. For C too.
#pragma once

#ifdef __cplusplus
extern "C" {
#endif

/// Lets other threads run, in the `waited`th round of waiting for one, from 1. Sleeps now and then: who only
/// yields, and has a real-time priority, keeps those of lower ones from the processor for good. Not a
/// cancellation point; errno stays.
void malloom_wait_for_others(unsigned waited);

#ifdef __cplusplus
}

namespace malloom::platform {

/// From now on the process makes those calls alone that the C library's malloc makes: for memory, and to
/// wait. So nothing holds off signals, yields, or asks for other threads. Any thread.
void call_for_memory_alone();

/// From now on the calling thread makes none at all: memory is what there is.
void call_nothing();

/// The calling thread makes those again that it made before call_nothing.
void call_again();

/// Whether the calling thread may make any.
bool may_call();

/// Whether it may at least ask for memory and give it back.
bool may_call_for_memory();

inline void wait_for_others(unsigned waited) {
    malloom_wait_for_others(waited);
}

}  // namespace malloom::platform
#endif
