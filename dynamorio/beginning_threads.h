// DynamoRIO knows a thread from when it first runs, and ends the process when the last one that it knows
// exits: also where another one was made and has not run yet.
#pragma once

namespace malloom::dynamorio {

/// Before the system call exit of a process's first thread: while the kernel has other threads, waits until
/// `is_alone` denies that this one is the only one that has begun, as thread events tell. Ten seconds at
/// most: a thread may be none of the program's.
void await_beginning_threads(bool (*is_alone)());

}  // namespace malloom::dynamorio
