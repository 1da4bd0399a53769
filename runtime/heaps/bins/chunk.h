// A piece of a region: an object, or free. Its neighbours are found by boundary tags, as in dlmalloc (Lea
// 2000).
#pragma once

#include <stddef.h>
#include <stdint.h>

/// What precedes an object, and the links that take its place while it is free. All of it is the heap's but
/// `bytes_before`, which is the end of the object before while that one lives.
struct malloom_bins_chunk {
    size_t bytes_before;  ///< of the chunk before, while that one is free
    size_t head;          ///< its own bytes, a multiple of the heap's granule, and two flags
    malloom_bins_chunk* next;
    malloom_bins_chunk* previous;
};

/// Of what each call needs: in its place where speed counts, and once where size does.
#if defined(__OPTIMIZE_SIZE__)
#define MALLOOM_BINS_HOT [[gnu::noinline]]
#else
#define MALLOOM_BINS_HOT [[gnu::always_inline]]
#endif

namespace malloom::heaps::bins {

using Chunk = malloom_bins_chunk;

constexpr size_t lives = 1;         ///< of Chunk::head: it is an object
constexpr size_t before_lives = 2;  ///< the chunk before is one
constexpr size_t flags = lives | before_lives;

/// From a chunk to its object, and from the end of the object to the end of the chunk.
constexpr size_t head_bytes = offsetof(Chunk, next);
constexpr size_t overhead_bytes = sizeof(size_t);
/// Requests beyond this cannot be, and sums of a few sizes below it do not overflow.
constexpr size_t most_bytes = SIZE_MAX / 4;

[[gnu::always_inline]] inline size_t bytes_of(const Chunk& chunk) {
    return chunk.head & ~flags;
}

/// The same as bytes_of(chunk) < bytes, as both are multiples of a granule, which is more than the flags.
[[gnu::always_inline]] inline bool is_smaller(const Chunk& chunk, size_t bytes) {
    return chunk.head < bytes;
}

[[gnu::always_inline]] inline Chunk* chunk_at(void* address) {
    return static_cast<Chunk*>(address);
}
[[gnu::always_inline]] inline const Chunk* chunk_at(const void* address) {
    return static_cast<const Chunk*>(address);
}

[[gnu::always_inline]] inline Chunk& after(Chunk& chunk, size_t bytes) {
    return *chunk_at(reinterpret_cast<char*>(&chunk) + bytes);
}
[[gnu::always_inline]] inline const Chunk& after(const Chunk& chunk, size_t bytes) {
    return *chunk_at(reinterpret_cast<const char*>(&chunk) + bytes);
}
/// Only where that one is free.
[[gnu::always_inline]] inline Chunk& before(Chunk& chunk) {
    return *chunk_at(reinterpret_cast<char*>(&chunk) - chunk.bytes_before);
}
[[gnu::always_inline]] inline const Chunk& before(const Chunk& chunk) {
    return *chunk_at(reinterpret_cast<const char*>(&chunk) - chunk.bytes_before);
}

[[gnu::always_inline]] inline void* object_of(Chunk& chunk) {
    return reinterpret_cast<char*>(&chunk) + head_bytes;
}
[[gnu::always_inline]] inline Chunk& chunk_of(void* object) {
    return *chunk_at(static_cast<char*>(object) - head_bytes);
}
[[gnu::always_inline]] inline const Chunk& chunk_of(const void* object) {
    return *chunk_at(static_cast<const char*>(object) - head_bytes);
}

constexpr size_t round_up(size_t bytes, size_t granule) {
    return (bytes + granule - 1) & ~(granule - 1);
}

/// A free chunk has room for its links and, behind them, for the size that the next chunk reads.
constexpr size_t least_chunk(size_t granule) {
    return round_up(sizeof(Chunk), granule);
}

/// The chunk of a request; of one for more than most_bytes a chunk that is nowhere.
MALLOOM_BINS_HOT inline size_t chunk_bytes_for(size_t bytes, size_t granule) {
    if (bytes > most_bytes) [[unlikely]] {
        return most_bytes;
    }
    const size_t wanted = round_up(bytes + overhead_bytes, granule);
    return wanted < sizeof(Chunk) ? sizeof(Chunk) : wanted;  // a granule at least anyway
}

}  // namespace malloom::heaps::bins
