// dlmalloc's scheme over lists by size (include/malloom/bins.h says what each call does). What differs
// between the shipped heap and those that the benchmark compares with it is a policy.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "include/malloom/bins.h"
#include "runtime/heaps/bins/chunk.h"
#include "runtime/heaps/bins/free_lists.h"
#include "runtime/heaps/bins/regions.h"
#include "runtime/structures/freestanding/shared_word.h"

namespace malloom::heaps::bins {

/// The bins are those of the instance; a map of those that are filled leads past the empty ones.
struct ShippedPolicy {
    static constexpr bool counts = true;
    [[gnu::always_inline]] static unsigned bin_of(const malloom_bins& heap, size_t bytes) {
        return heap.function(bytes, &heap);
    }
    [[gnu::always_inline]] static unsigned next_filled(FreeLists& lists, const malloom_bins&, unsigned bin) {
        return lists.next_filled(bin);
    }
};

/// Words, as the compiler must not make calls of a C library's functions from these loops.
inline void copy_words(void* to, const void* from, size_t bytes) {
    auto* into = static_cast<volatile size_t*>(to);
    const auto* source = static_cast<const size_t*>(from);
    for (size_t word = 0; word < bytes / sizeof(size_t); ++word) {
        into[word] = source[word];
    }
}
inline void clear_words(void* to, size_t bytes) {
    auto* into = static_cast<volatile size_t*>(to);
    for (size_t word = 0; word < bytes / sizeof(size_t); ++word) {
        into[word] = 0;
    }
}

/// One call of an instance. It has the owner's lock while it lives.
template <class Policy>
class BinHeap {
  public:
    explicit BinHeap(malloom_bins& heap) : heap_(heap) {
        if (heap_.hooks != nullptr && heap_.hooks->lock != nullptr) {
            heap_.hooks->lock(heap_.hooks->context);
        }
    }
    ~BinHeap() {
        if (heap_.hooks != nullptr && heap_.hooks->unlock != nullptr) {
            heap_.hooks->unlock(heap_.hooks->context);
        }
    }
    BinHeap(const BinHeap&) = delete;
    BinHeap& operator=(const BinHeap&) = delete;

    /// Objects of which each call of the owner's gives some back.
    [[gnu::always_inline]] void release_deferred() {
        if (structures::load(heap_.deferred) != 0) [[unlikely]] {
            drain();
        }
    }

    MALLOOM_BINS_HOT void* allocate(size_t bytes) {
        const size_t wanted = bytes <= most_bytes ? chunk_bytes_for(bytes, heap_.granule) : most_bytes;
        for (size_t level = 0; level < heap_.levels; ++level) {
            FreeLists lists(heap_, level);
            if (Chunk* chunk = find(lists, wanted); chunk != nullptr) {
                return carve(lists, *chunk, wanted);
            }
        }
        return nullptr;
    }

    void* allocate_aligned(size_t alignment, size_t bytes) {
        if (alignment <= heap_.granule) {
            return allocate(bytes);
        }
        if (bytes > most_bytes || alignment > most_bytes) {
            return nullptr;
        }
        // So much that before the aligned place there is room for a free chunk, or none is needed.
        const size_t wanted = chunk_bytes_for(bytes, heap_.granule);
        void* object = allocate(wanted + alignment + least_chunk(heap_.granule));
        if (object == nullptr) {
            return nullptr;
        }
        Chunk& chunk = leave_front(chunk_of(object), alignment);
        trim(chunk, wanted, level_of(object));
        return object_of(chunk);
    }

    /// Of an object that was judged.
    MALLOOM_BINS_HOT void release(void* object, size_t level) {
        Chunk* chunk = &chunk_of(object);
        size_t bytes = bytes_of(*chunk);
        if ((heap_.options & MALLOOM_BINS_CLEAR_ON_FREE) != 0) {
            clear_words(object, bytes - overhead_bytes);
        }
        FreeLists lists(heap_, level);
        heap_.free_bytes += bytes;
        Chunk* next = &after(*chunk, bytes);
        if ((next->head & lives) == 0) {
            bytes += bytes_of(*next);
            lists.unlink(*next);
            next = &after(*chunk, bytes);
        }
        if ((chunk->head & before_lives) == 0) {
            chunk->head &= ~lives;  // so that a second free of it is known
            chunk = &before(*chunk);
            bytes += bytes_of(*chunk);
            lists.unlink(*chunk);
        }
        next->head &= ~before_lives;
        make_free(lists, *chunk, bytes);
    }

    /// Whether the object, which was judged, could stay where it is.
    bool resize(void* object, size_t bytes, size_t level) {
        Chunk& chunk = chunk_of(object);
        const size_t wanted = chunk_bytes_for(bytes, heap_.granule);
        const size_t had = bytes_of(chunk);
        if (wanted > had) {
            Chunk& next = after(chunk, had);
            if ((next.head & lives) != 0 || had + bytes_of(next) < wanted) {
                return false;
            }
            absorb(chunk, next, level);
        }
        trim(chunk, wanted, level);
        return true;
    }

    /// Of a new region.
    void add(Region& region) {
        const size_t bytes = room_of(region);
        FreeLists lists(heap_, region.level);
        heap_.free_bytes += bytes;
        heap_.least_free_bytes = heap_.free_bytes;
        make_free(lists, *region.first, bytes);
    }

    /// Puts all free chunks into the lists of other bins: `change` makes them.
    template <class Change>
    void relink(Change change) {
        Chunk* all[MALLOOM_BINS_MOST_LEVELS];
        for (size_t level = 0; level < heap_.levels; ++level) {
            all[level] = FreeLists(heap_, level).take_all();
        }
        change();
        for (size_t level = 0; level < heap_.levels; ++level) {
            FreeLists lists(heap_, level);
            lists.clear();
            for (Chunk* chunk = all[level]; chunk != nullptr;) {
                Chunk* const next = chunk->next;
                insert(lists, *chunk, bytes_of(*chunk));
                chunk = next;
            }
        }
    }

    /// Takes the only chunk of a region out of its list; false where there are objects.
    bool remove(const Region& region) {
        const size_t bytes = room_of(region);
        if (region.first->head != (bytes | before_lives)) {
            return false;
        }
        FreeLists lists(heap_, region.level);
        lists.unlink(*region.first);
        heap_.free_bytes -= bytes;
        return true;
    }

    [[gnu::always_inline]] size_t level_of(const void* object) const {
        return heap_.levels == 1 ? 0 : region_of(heap_, object)->level;
    }

    /// Null of a call that fails, which the owner hears of.
    [[gnu::cold]] void* fail(malloom_bins_result why, uintptr_t about) {
        heap_.failures += why == MALLOOM_BINS_NO_MEMORY;
        if (heap_.hooks != nullptr && heap_.hooks->failed != nullptr) {
            heap_.hooks->failed(heap_.hooks->context, why, about);
        }
        return nullptr;
    }

    [[gnu::always_inline]] void trace(const void* object, size_t bytes) {
        if (heap_.hooks != nullptr && heap_.hooks->trace != nullptr) {
            heap_.hooks->trace(heap_.hooks->context, object, bytes);
        }
    }

  private:
    [[gnu::always_inline]] void count(unsigned bin, unsigned what, uint32_t more) {
        if (Policy::counts && (heap_.options & what) != 0) {
            heap_.counts[bin] += more;
        }
    }

    /// A free chunk of so many bytes or more; the smallest one where bins are sorted.
    MALLOOM_BINS_HOT Chunk* find(FreeLists& lists, size_t wanted) {
        const unsigned bin = Policy::bin_of(heap_, wanted);
        const Chunk* const ring = lists.ring(bin);
        Chunk* chunk = ring->next;
        uint32_t steps = 0;
        for (; chunk != ring && steps < heap_.most_steps; chunk = chunk->next, ++steps) {
            if (bytes_of(*chunk) >= wanted) {
                count(bin, MALLOOM_BINS_COUNT_STEPS, steps);
                count(bin, MALLOOM_BINS_COUNT_EXTRACTIONS, 1);
                return chunk;
            }
        }
        count(bin, MALLOOM_BINS_COUNT_STEPS, steps);
        const unsigned larger = Policy::next_filled(lists, heap_, bin + 1);
        if (larger >= heap_.bins) {
            return nullptr;
        }
        count(larger, MALLOOM_BINS_COUNT_EXTRACTIONS, 1);
        return lists.ring(larger)->next;
    }

    MALLOOM_BINS_HOT void* carve(FreeLists& lists, Chunk& chunk, size_t wanted) {
        if ((heap_.options & MALLOOM_BINS_CHECKED_LINKS) != 0 && !is_linked(heap_, chunk)) [[unlikely]] {
            return fail(MALLOOM_BINS_DAMAGED, reinterpret_cast<uintptr_t>(object_of(chunk)));
        }
        lists.unlink(chunk);
        const size_t had = bytes_of(chunk);
        const size_t rest = had - wanted;
        if (rest < sizeof(Chunk)) {
            chunk.head |= lives;
            after(chunk, had).head |= before_lives;
            take_from_free(had);
            return object_of(chunk);
        }
        chunk.head = wanted | flags;
        make_free(lists, after(chunk, wanted), rest);
        take_from_free(wanted);
        return object_of(chunk);
    }

    [[gnu::always_inline]] void take_from_free(size_t bytes) {
        heap_.free_bytes -= bytes;
        if (heap_.free_bytes < heap_.least_free_bytes) {
            heap_.least_free_bytes = heap_.free_bytes;
        }
    }

    /// Its neighbours live, and the tag of the next one says already that it does not.
    MALLOOM_BINS_HOT void make_free(FreeLists& lists, Chunk& chunk, size_t bytes) {
        chunk.head = bytes | before_lives;
        after(chunk, bytes).bytes_before = bytes;
        insert(lists, chunk, bytes);
    }

    MALLOOM_BINS_HOT void insert(FreeLists& lists, Chunk& chunk, size_t bytes) {
        const unsigned bin = Policy::bin_of(heap_, bytes);
        Chunk* const ring = lists.ring(bin);
        Chunk* larger = ring->next;
        if ((heap_.options & MALLOOM_BINS_BOUNDED) == 0) {
            uint32_t steps = 0;
            for (; larger != ring && bytes_of(*larger) < bytes; larger = larger->next) {
                ++steps;
            }
            count(bin, MALLOOM_BINS_COUNT_STEPS, steps);
        }
        lists.link(chunk, *larger, bin);
        count(bin, MALLOOM_BINS_COUNT_INSERTIONS, 1);
    }

    /// The living chunk with the free one after it.
    void absorb(Chunk& chunk, Chunk& next, size_t level) {
        FreeLists lists(heap_, level);
        const size_t more = bytes_of(next);
        lists.unlink(next);
        after(next, more).head |= before_lives;
        chunk.head += more;
        take_from_free(more);
    }

    /// Gives back what a living chunk has beyond what is wanted, where that is a chunk.
    void trim(Chunk& chunk, size_t wanted, size_t level) {
        const size_t had = bytes_of(chunk);
        if (had - wanted < sizeof(Chunk)) {
            return;
        }
        Chunk& rest = after(chunk, wanted);
        chunk.head = wanted | (chunk.head & flags);
        rest.head = (had - wanted) | flags;
        release_tail(rest, level);
    }

    void release_tail(Chunk& rest, size_t level) {
        FreeLists lists(heap_, level);
        size_t bytes = bytes_of(rest);
        heap_.free_bytes += bytes;
        Chunk& next = after(rest, bytes);
        if ((next.head & lives) == 0) {
            bytes += bytes_of(next);
            lists.unlink(next);
        }
        after(rest, bytes).head &= ~before_lives;
        make_free(lists, rest, bytes);
    }

    /// Frees what lies before the first aligned place for an object in a living chunk; the chunk there.
    Chunk& leave_front(Chunk& chunk, size_t alignment) {
        const auto object = reinterpret_cast<uintptr_t>(object_of(chunk));
        if (object % alignment == 0) {
            return chunk;
        }
        const uintptr_t aligned = round_up(object + sizeof(Chunk), alignment);
        const size_t gap = aligned - object;
        Chunk& moved = after(chunk, gap);
        moved.head = (bytes_of(chunk) - gap) | flags;
        chunk.head = gap | (chunk.head & flags);
        release(object_of(chunk), level_of(object_of(chunk)));
        return moved;
    }

    /// What is wrong with a link would be followed: the others are lost then.
    [[gnu::noinline]] void drain() {
        for (;;) {
            const uintptr_t first = structures::load(heap_.deferred);
            if (first == 0) {
                return;
            }
            void* object = reinterpret_cast<void*>(first);
            const Region* region = region_of(heap_, object);
            if (const malloom_bins_result wrong = judge(heap_, region, object); wrong != MALLOOM_BINS_OK) {
                while (!structures::replace(false, heap_.deferred, structures::load(heap_.deferred), 0)) {
                }
                fail(wrong, first);
                return;
            }
            if (structures::replace(false, heap_.deferred, first, *static_cast<uintptr_t*>(object))) {
                release(object, region->level);
                trace(object, 0);
                if ((heap_.options & MALLOOM_BINS_BOUNDED) != 0) {
                    return;
                }
            }
        }
    }

    malloom_bins& heap_;
};

}  // namespace malloom::heaps::bins
