// What a signal handler does that comes while its thread forks, as to fork itself: among the handlers of
// forks that were registered before all others, so while whoever holds locks during forks has them. Without a
// signal: ThreadSanitizer has handlers of these call little.
//
// Included by one file of a test, which is linked in front of the run time.
#pragma once

#include <gnu/libc-version.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>

namespace malloom::tests {

enum class HandlerComes { never, before_the_child, after_the_child };

inline volatile HandlerComes handler_comes = HandlerComes::never;
inline void (*volatile handler)() = nullptr;
inline volatile pid_t forked_in_handler = -1;

inline void call_if(HandlerComes now) {
    if (handler_comes == now) {
        handler_comes = HandlerComes::never;  // not in its own fork
        handler();
    }
}

[[gnu::constructor(101)]] inline void watch_forks_first() {
    pthread_atfork([] { call_if(HandlerComes::before_the_child); },
                   [] { call_if(HandlerComes::after_the_child); }, nullptr);
}

/// The C library of before has a lock of its own while handlers of forks run: none forks then.
inline bool handlers_may_fork_within_forks() {
    return strverscmp(gnu_get_libc_version(), "2.36") >= 0;
}
/// Whether the handler is done, in the process that it came in.
inline bool handler_has_forked() {
    return forked_in_handler > 0 || !handlers_may_fork_within_forks();
}

inline bool has_ended_well(pid_t child) {
    int status = -1;
    return waitpid(child, &status, 0) == child && status == 0;
}

/// Forks so. The handler returns in its child too, and the fork that it interrupted goes on there. True where
/// `is_well()` is in all these processes.
template <class IsWell>
bool are_well_after_fork_within_fork(HandlerComes comes, IsWell is_well) {
    handler = [] { forked_in_handler = fork(); };
    forked_in_handler = -1;
    handler_comes = handlers_may_fork_within_forks() ? comes : HandlerComes::never;
    const pid_t child = fork();
    alarm(60);  // who waits for a lock ends so
    bool is_right = is_well();
    // The handler's child comes here too, with a child of its own where the handler came before that was
    // made.
    const bool is_handlers_child = forked_in_handler == 0;
    if (child != 0 && (!is_handlers_child || comes == HandlerComes::before_the_child)) {
        is_right = has_ended_well(child) && is_right;
    }
    if (child != 0 && forked_in_handler > 0) {
        is_right = has_ended_well(forked_in_handler) && is_right;
    }
    if (child == 0 || is_handlers_child) {
        _exit(is_right ? 0 : 1);
    }
    alarm(0);
    return is_right && handler_has_forked();
}

}  // namespace malloom::tests
