// The rest of the malloc family, which a program with a malloc of its own may lack and yet call: then it is
// the C library's, as it would be without mimalloc.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <malloc.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

// Both are null where the program has a malloc of its own.
__attribute__((weak, visibility("hidden"))) void* malloom_mimalloc_aligned(size_t bytes, size_t alignment);
__attribute__((weak, visibility("hidden"))) size_t malloom_mimalloc_usable(const void* object);
// Programs that are linked statically lack it.
#pragma weak dlsym

// The C library's function of that name; null in a program that is linked statically.
static void* of_c_library(const char* name) {
    return dlsym != NULL ? dlsym(RTLD_NEXT, name) : NULL;
}

static void* no_memory(void) {
    errno = ENOMEM;
    return NULL;
}

static int is_power_of_two(size_t number) {
    return number != 0 && (number & (number - 1)) == 0;
}

static void* aligned_of_c_library(size_t alignment, size_t bytes) {
    void* (*const other)(size_t, size_t) = (void* (*)(size_t, size_t))of_c_library("memalign");
    return other != NULL ? other(alignment, bytes) : no_memory();
}

// As the C library does, an alignment that is no power of two becomes the next one.
void* memalign(size_t alignment, size_t bytes) {
    if (malloom_mimalloc_aligned == NULL) return aligned_of_c_library(alignment, bytes);
    if (alignment > PTRDIFF_MAX) {
        errno = EINVAL;
        return NULL;
    }
    size_t power = sizeof(void*);
    while (power < alignment) power *= 2;
    void* const object = malloom_mimalloc_aligned(bytes, power);
    return object != NULL ? object : no_memory();
}

void* aligned_alloc(size_t alignment, size_t bytes) {
    return memalign(alignment, bytes);
}

int posix_memalign(void** object, size_t alignment, size_t bytes) {
    if (alignment % sizeof(void*) != 0 || !is_power_of_two(alignment)) return EINVAL;
    const int saved = errno;
    void* const made = memalign(alignment, bytes);
    errno = saved;
    if (made == NULL) return ENOMEM;
    *object = made;
    return 0;
}

void* valloc(size_t bytes) {
    return memalign((size_t)sysconf(_SC_PAGESIZE), bytes);
}

void* pvalloc(size_t bytes) {
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    if (bytes > PTRDIFF_MAX) return no_memory();
    return memalign(page, (bytes + page - 1) / page * page);
}

size_t malloc_usable_size(void* object) {
    if (malloom_mimalloc_usable != NULL) return malloom_mimalloc_usable(object);
    size_t (*const other)(void*) = (size_t (*)(void*))of_c_library("malloc_usable_size");
    return other != NULL ? other(object) : 0;
}
