// Whether the process has one thread, as the C library knows it. It decides how shared words are changed
// (runtime/structures/freestanding/shared_word.h).
#pragma once

#include <sys/single_threaded.h>

#include "runtime/structures/freestanding/shared_word.h"

namespace malloom::structures {

/// True while no other thread can run. Ask once per operation and pass the answer on.
[[gnu::always_inline]] inline bool alone() {
#if MALLOOM_UNLOCKED_WORDS
    return __libc_single_threaded != 0;
#else
    return false;
#endif
}

}  // namespace malloom::structures
