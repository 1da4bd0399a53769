// Descriptors for a process that has used up all of its own, or whose threads may get in between.
#pragma once

namespace malloom::stream {

/// Does `work` in a child that shares this process's memory and system of files, and has a copy of its
/// descriptors of which the first four are closed; waits for its end. What it maps stays, what it opens goes
/// with it. For a caller that holds off signals and cancellation; never allocates. False where there is no
/// such child, as processes are limited. errno is the work's.
bool with_own_descriptors(void (*work)(void* argument), void* argument);

}  // namespace malloom::stream
