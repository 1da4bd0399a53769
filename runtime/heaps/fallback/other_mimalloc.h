// Whether the program has a mimalloc of its own.
#pragma once

namespace malloom::heaps {

/// Whether a libmimalloc is loaded: the program, or a library that it starts with, is linked with it, or the
/// user has preloaded it. Such a program may give mi_free what malloc gave it, so malloc has to be that
/// one's. Asks the loader, without memory of its own.
bool is_other_mimalloc_loaded();

}  // namespace malloom::heaps
