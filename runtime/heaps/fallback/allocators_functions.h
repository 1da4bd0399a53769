// Whether somebody in the process calls a general allocator's own functions by name.
#pragma once

namespace malloom::heaps {

/// Whether a loaded object other than `allocators`, an address in the allocator's own, refers to functions
/// that general allocators have beside malloc's, as mimalloc's mi_free or jemalloc's sdallocx, strongly or
/// weakly: such a program gives them what malloc gave it. What it asks dlsym for is not seen. Reads the
/// tables of all loaded objects, without memory of its own; for any thread.
bool are_allocators_functions_used(const void* allocators);

}  // namespace malloom::heaps
