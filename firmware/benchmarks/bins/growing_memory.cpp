#include "firmware/benchmarks/bins/growing_memory.h"

#include <stdint.h>

namespace {

uint8_t* range_begin;
uint8_t* range_end;
uint8_t* in_use_end;

/// The end before, or -1 where the range is too short.
void* grow(ptrdiff_t bytes) {
    if (bytes > range_end - in_use_end || bytes < range_begin - in_use_end) {
        return reinterpret_cast<void*>(UINTPTR_MAX);
    }
    uint8_t* const before = in_use_end;
    in_use_end += bytes;
    return before;
}

}  // namespace

namespace malloom::bench::bins {

void give_growing_memory(void* memory, size_t bytes) {
    range_begin = in_use_end = static_cast<uint8_t*>(memory);
    range_end = range_begin + bytes;
}

}  // namespace malloom::bench::bins

// What the libraries' heaps call, by the names that they have for it.
extern "C" {

struct _reent;
void* _sbrk_r(struct _reent* /*reent*/, ptrdiff_t bytes) {
    return grow(bytes);
}

// setup/picolibc.sh puts the library's name before each of these.
thread_local int picolibc_errno;
int picolibc___lock___libc_recursive_mutex;

void* picolibc_sbrk(ptrdiff_t bytes) {
    return grow(bytes);
}

void picolibc___retarget_lock_acquire_recursive(void* /*lock*/) {}
void picolibc___retarget_lock_release_recursive(void* /*lock*/) {}

void* picolibc_memset(void* memory, int byte, size_t bytes) {
    auto* const at = static_cast<uint8_t*>(memory);
    for (size_t offset = 0; offset < bytes; ++offset) {
        at[offset] = static_cast<uint8_t>(byte);
    }
    return memory;
}

}  // extern "C"
