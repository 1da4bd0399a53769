// The mimalloc that is part of the run time: what the run time calls of it, and what it calls of the run
// time. No other mimalloc in the process knows of it: its names are hidden. Its thread-safety is mimalloc's.
#pragma once

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/// As mimalloc documents them: null and ENOMEM without memory. An alignment is a power of two.
void* mi_malloc(size_t bytes);
void* mi_zalloc(size_t bytes);
void* mi_malloc_aligned(size_t bytes, size_t alignment);
void* mi_realloc(void* object, size_t bytes);
void mi_free(void* object);
size_t mi_usable_size(const void* object);

/// Before the first request, once, when mimalloc_memory can serve what follows. It has no constructor of its
/// own, reads no environment and registers nothing for the process's end. It takes `step_bytes` of addresses
/// at a time, and more as the program grows. False where it has no memory for its own tables: it must then
/// not be used.
bool malloom_mimalloc_start(size_t step_bytes);

// What it has instead of the system (mimalloc_memory.cpp). One thread at a time takes and gives back; the
// others are for all.
/// Addresses that read as zero once they are open; null where there are none left. `alignment` is a power of
/// two.
void* malloom_mimalloc_take(size_t bytes, size_t alignment);
void malloom_mimalloc_give_back(void* start, size_t bytes);
/// Makes whole pages of them usable; false, and ENOMEM, where the system has no memory.
bool malloom_mimalloc_open(void* start, size_t bytes);
/// Their memory goes back to the system; they stay open and read as zero.
void malloom_mimalloc_discard(void* start, size_t bytes);
size_t malloom_mimalloc_page_bytes(void);
/// Milliseconds since some moment.
long long malloom_mimalloc_now(void);

#ifdef __cplusplus
}
#endif
