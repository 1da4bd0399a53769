// The one door to the next allocator: the one that the program would have had without us, found with
// dlsym(RTLD_NEXT). Everything is async-signal-safe as far as that allocator is, and thread-safe. errno is
// what that allocator leaves.
#pragma once

#include <stddef.h>

namespace malloom::platform::real {

/// Finds the next allocator now. Optional: the first call does it too; a constructor that calls it keeps
/// dlsym away from signal handlers and threads.
void resolve();
/// Has the C library's malloc make itself ready, which it does at its first request without a lock: it counts
/// on pthread_create asking it before there are threads, and here that request goes elsewhere. While the
/// process has one thread; takes no memory.
void make_ready();

/// The next allocator's own functions, as dlsym found them.
struct Functions {
    void* (*malloc)(size_t);
    void* (*calloc)(size_t, size_t);
    void* (*realloc)(void*, size_t);
    void (*free)(void*);
    void* (*memalign)(size_t, size_t);
    size_t (*malloc_usable_size)(void*);
};
/// For who calls the next allocator without a question in between, for as long as the process lives. Null
/// where that would be wrong: while dlsym is asked, and where somebody has an object of the static buffer,
/// which that allocator does not know.
const Functions* functions_alone();

/// Memory comes from a small static buffer while dlsym is asking for memory itself; such objects are never
/// given back, and all functions below know them.
void* allocate(size_t bytes);
void* allocate_zeroed(size_t count, size_t bytes);
/// `alignment` is a power of two.
void* allocate_aligned(size_t alignment, size_t bytes);
void* reallocate(void* object, size_t bytes);
void deallocate(void* object);
/// The same of what may be nobody's object. The C library looks at what it frees only once it has allocated.
void deallocate_unknown(void* object);
size_t usable_size(void* object);

}  // namespace malloom::platform::real
