// The memories that a heap was given.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "include/malloom/bins.h"
#include "runtime/heaps/bins/chunk.h"
#include "runtime/heaps/bins/options.h"

/// At the first place of a region where it may lie, before the first chunk.
struct malloom_bins_region {
    malloom_bins_region* next;  ///< of the same level or a higher one
    const void* memory;         ///< as the owner gave it
    malloom_bins_chunk* first;
    malloom_bins_chunk* end;  ///< a head that always lives, and nothing after it
    size_t level;
};

namespace malloom::heaps::bins {

using Region = malloom_bins_region;

/// Null where it lies in none.
MALLOOM_BINS_HOT inline const Region* region_of(const malloom_bins& heap, const void* address) {
    const Region* region = heap.regions;
    while (region != nullptr && (address < region->first || address >= region->end)) {
        region = region->next;
    }
    return region;
}

/// Of the whole region as one chunk.
inline size_t room_of(const Region& region) {
    return static_cast<size_t>(reinterpret_cast<const char*>(region.end) -
                               reinterpret_cast<const char*>(region.first));
}

/// Makes a region with one free chunk that is in no list yet; null where there is no room for the least
/// chunk.
Region* lay_out(void* memory, size_t bytes, size_t granule, unsigned level);

/// Whether these bytes are some of a region's.
bool overlaps(const malloom_bins& heap, const void* memory, size_t bytes);

void join(malloom_bins& heap, Region& region);
void leave(malloom_bins& heap, const Region& region);

/// The owner hears of a call that fails.
[[gnu::cold]] malloom_bins_result tell(malloom_bins& heap, malloom_bins_result why, uintptr_t about);
/// The same of a call that gives no object then.
[[gnu::cold]] void* refuse(malloom_bins& heap, malloom_bins_result why, uintptr_t about);

/// Whether a chunk begins there, by going through all before it.
bool is_chunk(const Region& region, const Chunk& chunk);

[[gnu::always_inline]] inline size_t distance(const void* from, const void* to) {
    return reinterpret_cast<uintptr_t>(to) - reinterpret_cast<uintptr_t>(from);
}

/// Whether a chunk that begins there can have so many bytes. What follows it may be read then: some machines
/// fault where a word is not aligned.
[[gnu::always_inline]] inline bool fits(const Region& region, const Chunk& chunk, size_t bytes) {
    return bytes >= sizeof(Chunk) && bytes <= distance(&chunk, region.end) && bytes % alignof(Chunk) == 0;
}

/// Whether the tags of a chunk that is thought to be free agree with each other.
MALLOOM_BINS_HOT inline bool agrees(const Region& region, const Chunk& chunk) {
    const size_t bytes = bytes_of(chunk);
    return (chunk.head & flags) == before_lives && fits(region, chunk, bytes) &&
           after(chunk, bytes).bytes_before == bytes;
}

/// Whether a free chunk's neighbours in its list know it. What is no place of a chunk or of a bin is not
/// read.
bool is_linked(const malloom_bins& heap, const Chunk& chunk);

/// Whether a neighbour that is thought to be free may be joined.
template <bool general>
[[gnu::always_inline]] inline bool may_join(const malloom_bins& heap, const Chunk& chunk) {
    return !general || !has(heap, MALLOOM_BINS_CHECKED_LINKS) || is_linked(heap, chunk);
}

/// Whether the tags of what follows a living chunk agree with it.
template <bool general>
[[gnu::always_inline]] inline bool agrees_with_next(const malloom_bins& heap, const Region& region,
                                                    const Chunk& next) {
    if ((next.head & lives) == 0) {
        return agrees(region, next) && may_join<general>(heap, next);
    }
    return (next.head & before_lives) != 0 && (&next == region.end || fits(region, next, bytes_of(next)));
}

/// The same of a free chunk before it. Its end is where the living one says that it has so many bytes.
template <bool general>
[[gnu::always_inline]] inline bool agrees_with_former(const malloom_bins& heap, const Region& region,
                                                      const Chunk& chunk) {
    const size_t bytes = chunk.bytes_before;
    return bytes >= sizeof(Chunk) && bytes <= distance(region.first, &chunk) && bytes % alignof(Chunk) == 0 &&
           before(chunk).head == (bytes | before_lives) && may_join<general>(heap, before(chunk));
}

/// Whether an object lives there, so far as the tags of its chunk and of the neighbours can tell.
template <bool general>
MALLOOM_BINS_HOT inline malloom_bins_result judge(const malloom_bins& heap, const Region* region,
                                                  const void* object) {
    if (region == nullptr || (reinterpret_cast<uintptr_t>(object) & (heap.granule - 1)) != 0 ||
        distance(region->first, object) < head_bytes) {
        return MALLOOM_BINS_FOREIGN;
    }
    const Chunk& chunk = chunk_of(object);
    if (general && has(heap, MALLOOM_BINS_THOROUGH) && !is_chunk(*region, chunk)) {
        return MALLOOM_BINS_FOREIGN;
    }
    if ((chunk.head & lives) == 0) {
        return MALLOOM_BINS_FREED_BEFORE;
    }
    const size_t bytes = bytes_of(chunk);
    const bool is_whole =
        fits(*region, chunk, bytes) && (bytes & (heap.granule - 1)) == 0 &&
        agrees_with_next<general>(heap, *region, after(chunk, bytes)) &&
        ((chunk.head & before_lives) != 0 || agrees_with_former<general>(heap, *region, chunk));
    return is_whole ? MALLOOM_BINS_OK : MALLOOM_BINS_DAMAGED;
}

}  // namespace malloom::heaps::bins
