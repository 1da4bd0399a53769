// The mimalloc that is part of the run time: what the run time calls of it, and what it calls of the run
// time. No other mimalloc in the process knows of it: its names are hidden. Its thread-safety is mimalloc's.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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

/// Whether the calling thread is in the middle of mimalloc, and this in a handler that interrupted it: who
/// asks gets a block that is at hand, or null without ENOMEM, and may give blocks back.
bool malloom_mimalloc_is_interrupted(void);

/// Functions that the entries of the malloc family may jump to, with the entries' arguments. A line of the
/// cache, read only once requests are served.
struct malloom_entries {
    void* (*allocate)(size_t bytes);
    void (*release)(void* object);  ///< of null too
    void* (*allocate_zeroed)(size_t count, size_t bytes);
    void* (*reallocate)(void* object, size_t bytes);  ///< of no null; bytes may be 0
    void* (*allocate_aligned)(size_t alignment, size_t bytes);
    int (*allocate_into)(void** object, size_t alignment, size_t bytes);
    void* (*create)(size_t bytes);
    void* (*create_aligned)(size_t bytes, size_t alignment);
} __attribute__((aligned(64)));

/// mimalloc's own: they end in a return on their common way, and by a jump to those of
/// malloom_mimalloc_others where the request or the object is none of mimalloc's, or it has no memory left.
void* malloom_mimalloc_allocate(size_t bytes);
void malloom_mimalloc_release(void* object);
void* malloom_mimalloc_allocate_zeroed(size_t count, size_t bytes);
void* malloom_mimalloc_reallocate(void* object, size_t bytes);
void* malloom_mimalloc_allocate_aligned(size_t alignment, size_t bytes);
int malloom_mimalloc_allocate_into(void** object, size_t alignment, size_t bytes);
void* malloom_mimalloc_create(size_t bytes);
void* malloom_mimalloc_create_aligned(size_t bytes, size_t alignment);
extern const struct malloom_entries malloom_mimalloc_entries;
/// Set before the others are used.
extern struct malloom_entries malloom_mimalloc_others;
/// Requests of so many bytes are the others'.
enum { malloom_mimalloc_limit = 15 << 20 };
/// Alignments beyond this one are the others': mimalloc takes addresses for each such object.
enum { malloom_mimalloc_most_alignment = 64 << 10 };

/// A heap for a call site's requests of so many bytes, whose objects lie on pages of their own and are freed
/// as all others; malloom_mimalloc_no_heap without memory, and for a handler that came within mimalloc. Sites
/// of one size class get heaps of their own, up to malloom_mimalloc_most_heaps; more than these share them.
uint32_t malloom_mimalloc_add_heap(size_t bytes);
/// As malloom_mimalloc_allocate, in the heap of that number. Not of no bytes.
void* malloom_mimalloc_allocate_in(size_t bytes, uint32_t number);
/// The same; null where the heap has no memory, for a handler that came within mimalloc, and of a thread that
/// has not asked for much yet or has ended.
void* malloom_mimalloc_try_in(size_t bytes, uint32_t number);
/// As malloom_mimalloc_create.
void* malloom_mimalloc_create_in(size_t bytes, uint32_t number);
/// Whether the object, which is mimalloc's, lies in such a heap.
bool malloom_mimalloc_is_in_heap(const void* object);
enum { malloom_mimalloc_no_heap = 0, malloom_mimalloc_most_heaps = 64 };

/// Where all of mimalloc's memory lies, and the page of mimalloc's that has each slice of it; null where none
/// has. Grows at its end.
struct malloom_mimalloc_range {
    uintptr_t base;
    size_t slices;
    void** pages;
};
extern struct malloom_mimalloc_range malloom_mimalloc_range;
enum { malloom_mimalloc_slice = 64 << 10 };

/// Before the first request, once, when mimalloc_memory can serve what follows. It has no constructor of its
/// own, reads no environment and registers nothing for the process's end. It takes `step_bytes` of addresses
/// at a time, and more as the program grows. What is not used goes back after `purge_delay` milliseconds, -1:
/// never, -2: as mimalloc has it, in parts of `least_purged` bytes at least, 0: as mimalloc has it.
void malloom_mimalloc_start(size_t step_bytes, long purge_delay, size_t least_purged);

/// From now on memory comes by page faults alone, as a filter of system calls may look at advice.
void malloom_mimalloc_populate_no_more(void);

/// From now on it gives nothing back to the system, and has 2 MiB more to give out.
void malloom_mimalloc_keep(void);
/// Gives back again, as before the last call of that.
void malloom_mimalloc_keep_no_more(void);

// What it has instead of the system (mimalloc_memory.cpp). One thread at a time takes, gives back, opens and
// closes;
// the others are for all.
/// Addresses that read as zero once they are open; null where there are none left. `alignment` is a power of
/// two.
void* malloom_mimalloc_take(size_t bytes, size_t alignment);
void malloom_mimalloc_give_back(void* start, size_t bytes);
/// Makes whole pages of them usable; false, and ENOMEM, where the system has no memory.
bool malloom_mimalloc_open(void* start, size_t bytes);
bool malloom_mimalloc_is_open(const void* start, size_t bytes);
/// Opens what lies next to what is open.
void malloom_mimalloc_open_more(void);
/// Their memory goes back to the system. True where they have to be opened again before they are used.
bool malloom_mimalloc_close(void* start, size_t bytes);
/// Makes pages that are open resident, if the system can; advice only.
void malloom_mimalloc_populate(void* start, size_t bytes);
/// As malloom_mimalloc_close, but they stay open and read as zero.
void malloom_mimalloc_discard(void* start, size_t bytes);
size_t malloom_mimalloc_page_bytes(void);
/// Milliseconds since some moment.
long long malloom_mimalloc_now(void);

#ifdef __cplusplus
}
#endif
