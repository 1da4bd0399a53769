// Holds a fork back until no thread is in the middle of something that its child could not end: a lock that
// another thread holds stays locked in the child for ever. In C, for mimalloc, which has such locks and no
// handlers of forks.
#pragma once

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Before and after what no fork may cut in two; nests. Waits while another thread forks, but for a second at
/// most: a handler of that fork may itself wait for this thread. Thread-safe, for signal handlers too; errno
/// stays.
void malloom_fork_gate_enter(void);
void malloom_fork_gate_leave(void);
/// Whether the calling thread is between the two: so for a handler that interrupted it there.
bool malloom_fork_gate_is_inside(void);

/// From now on forks of this process wait at the gate until no other thread is inside, for about a second at
/// most. As early as can be: of handlers the first one registered is the last that a fork calls, and it must
/// not wait for others while threads wait for it. Only the first call does anything.
void malloom_fork_gate_open(void);

#ifdef __cplusplus
}
#endif
