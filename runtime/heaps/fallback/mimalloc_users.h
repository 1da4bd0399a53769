// Who else in the process uses mimalloc: what others got from it themselves is free's too.
#pragma once

#include <stddef.h>

namespace malloom::heaps {

/// Whether libmimalloc was preloaded, so that whatever looks it up gets the whole of it. At start, before the
/// program can change its environment.
bool is_mimalloc_preloaded();

/// Whether a loaded object, but the one that this is part of, is linked with libmimalloc. Asks the loader.
bool is_mimalloc_linked_by_others();

/// An object of mimalloc's, as it knows it.
struct MimallocBlock {
    const void* start = nullptr;
    size_t bytes = 0;
};

/// The one that lives at the address, if it belongs to the calling thread; else null. Looks at all of the
/// thread's objects.
MimallocBlock find_own_block(const void* address);

}  // namespace malloom::heaps
