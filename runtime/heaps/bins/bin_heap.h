// dlmalloc's scheme over lists by size (include/malloom/bins.h says what each call does). What differs
// between the shipped heap and those that the benchmark compares with it is a policy.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "include/malloom/bins.h"
#include "runtime/heaps/bins/chunk.h"
#include "runtime/heaps/bins/counts.h"
#include "runtime/heaps/bins/free_lists.h"
#include "runtime/heaps/bins/policy.h"
#include "runtime/heaps/bins/regions.h"
#include "runtime/heaps/bins/words.h"
#include "runtime/structures/freestanding/shared_word.h"

namespace malloom::heaps::bins {

/// One call of an instance. A general one has the owner's lock while it lives; others are for heaps that do
/// not need it (options.h). Where it samples, so does the automatic rehash of what is given back.
template <class Policy, bool general = true, bool samples = general>
class BinHeap {
  public:
    explicit BinHeap(malloom_bins& heap) : heap_(heap) {
        if (general && heap_.hooks != nullptr && heap_.hooks->lock != nullptr) {
            heap_.hooks->lock(heap_.hooks->context);
        }
    }
    ~BinHeap() {
        if (general && heap_.hooks != nullptr && heap_.hooks->unlock != nullptr) {
            heap_.hooks->unlock(heap_.hooks->context);
        }
    }
    BinHeap(const BinHeap&) = delete;
    BinHeap& operator=(const BinHeap&) = delete;

    /// Objects of which each call of the owner's gives some back.
    MALLOOM_BINS_HOT void release_deferred() {
        if (general && structures::load(heap_.deferred) != 0) [[unlikely]] {
            drain();
        }
    }

    MALLOOM_BINS_HOT void* allocate(size_t bytes) {
        if (general && heap_.levels == 0) {
            return nullptr;
        }
        const size_t wanted = chunk_bytes_for(bytes, heap_.granule);
        size_t level = 0;
        do {
            FreeLists lists(heap_, level);
            unsigned bin = Policy::bin_of(heap_, wanted);
            Chunk* chunk = find(lists, bin, wanted);
            if (chunk == nullptr) {
                bin = Policy::next_filled(lists, heap_, bin + 1);
                if (bin == no_bin) [[unlikely]] {
                    continue;
                }
                chunk = lists.ring(bin)->next;
            }
            count(bin, MALLOOM_BINS_COUNT_EXTRACTIONS, 1);
            return carve(lists, *chunk, bin, wanted);
        } while (++level < heap_.levels);
        return nullptr;
    }

    void* allocate_aligned(size_t alignment, size_t bytes) {
        if (alignment <= heap_.granule) {
            return allocate(bytes);
        }
        // So much that before the aligned place there is room for a free chunk, or none is needed. The sum
        // stays below SIZE_MAX whatever the alignment is, and is too much where one of them is.
        const size_t wanted = chunk_bytes_for(bytes, heap_.granule);
        void* object = allocate(wanted + alignment + least_chunk(heap_.granule));
        if (object == nullptr) {
            return nullptr;
        }
        const size_t level = level_of(object);
        Chunk& chunk = leave_front(chunk_of(object), alignment, level);
        trim(chunk, wanted, level);
        return object_of(chunk);
    }

    /// Where the object lives, in `region`; the owner hears where none does there.
    MALLOOM_BINS_HOT malloom_bins_result find_living(const void* object, const Region*& region) {
        region = region_of(heap_, object);
        const malloom_bins_result wrong = judge<general>(heap_, region, object);
        if (wrong != MALLOOM_BINS_OK) [[unlikely]] {
            fail(wrong, reinterpret_cast<uintptr_t>(object));
        }
        return wrong;
    }

    /// Of an object that was judged.
    MALLOOM_BINS_HOT void release(void* object, size_t level) {
        Chunk& chunk = chunk_of(object);
        constexpr unsigned noticed =
            (general ? unsigned{MALLOOM_BINS_CLEAR_ON_FREE} : 0U) | (samples ? samples_releases : 0U);
        if (noticed != 0 && has(heap_, noticed) && prepare_release(chunk)) [[unlikely]] {
            sample_and_set_free(&chunk, level);
        } else {
            set_free(&chunk, level);
        }
    }

    /// Of a living chunk: it joins its free neighbours.
    MALLOOM_BINS_HOT void set_free(Chunk* chunk, size_t level) {
        size_t bytes = bytes_of(*chunk);
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
        region.first->head |= lives;
        set_free(region.first, region.level);
        heap_.least_free_bytes = heap_.free_bytes;
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
    [[gnu::always_inline]] void* fail(malloom_bins_result why, uintptr_t about) {
        tell(heap_, why, about);
        return nullptr;
    }

    MALLOOM_BINS_HOT void trace(const void* object, size_t bytes) {
        if (general && heap_.hooks != nullptr && heap_.hooks->trace != nullptr) {
            heap_.hooks->trace(heap_.hooks->context, object, bytes);
        }
    }

  private:
    /// Where code is to be small, each rest goes through the lists.
    static constexpr bool leaves_rest = Policy::leaves_rest_in_list && !is_small;

    [[gnu::always_inline]] void count(unsigned bin, unsigned what, uint32_t more) {
        if (Policy::counts && (MALLOOM_BINS_OPTIONS & what) != 0) {
            add_to_count(bin, what, more);
        }
    }
    MALLOOM_BINS_HOT void add_to_count(unsigned bin, unsigned what, uint32_t more) {
        if (has(heap_, what)) [[unlikely]] {
            add_to(heap_.counts[bin], more);
        }
    }

    /// What some heaps do before an object is free. True when it ends a phase of the automatic rehash, or is
    /// to be counted.
    MALLOOM_BINS_HOT bool prepare_release(Chunk& chunk) {
        if (general && has(heap_, MALLOOM_BINS_CLEAR_ON_FREE)) {
            clear_words(object_of(chunk), bytes_of(chunk) - overhead_bytes);
        }
        return samples && has(heap_, samples_releases) && --heap_.releases_left == 0;
    }

    /// All free chunks are in their lists, and none is at hand. Out of the way of all other calls, which
    /// would keep values in registers across this one.
    [[gnu::noinline, gnu::cold]] void sample_and_set_free(Chunk* chunk, size_t level) {
        heap_.sample_release(&heap_, chunk);
        set_free(chunk, level);
    }

    /// The first chunk of the bin that has so many bytes, the smallest one where bins are sorted. Null where
    /// it has none, or not among the first.
    MALLOOM_BINS_HOT Chunk* find(FreeLists& lists, unsigned bin, size_t wanted) {
        Chunk* const ring = lists.ring(bin);
        Chunk* chunk = ring->next;
        const uint32_t most_steps = heap_.most_steps;
        uint32_t steps = 0;
        while (chunk != ring && is_smaller(*chunk, wanted)) {
            chunk = ++steps < most_steps ? chunk->next : ring;
        }
        count(bin, MALLOOM_BINS_COUNT_STEPS, steps);
        return chunk != ring ? chunk : nullptr;
    }

    MALLOOM_BINS_HOT void* carve(FreeLists& lists, Chunk& chunk, unsigned bin, size_t wanted) {
        if (general && has(heap_, MALLOOM_BINS_CHECKED_LINKS) && !is_linked(heap_, chunk)) [[unlikely]] {
            return fail(MALLOOM_BINS_DAMAGED, reinterpret_cast<uintptr_t>(object_of(chunk)));
        }
        if (!leaves_rest) {
            take_out(lists, chunk, bin);
        }
        const size_t had = bytes_of(chunk);
        const bool is_divided = had - wanted >= sizeof(Chunk);
        const size_t taken = is_divided ? wanted : had;
        if (is_divided) {
            divide(lists, chunk, bin, wanted, had - wanted);
        } else {
            if (leaves_rest) {
                take_out(lists, chunk, bin);
            }
            after(chunk, had).head |= before_lives;
        }
        chunk.head = taken | flags;
        take_from_free(taken);
        return object_of(chunk);
    }

    [[gnu::always_inline]] static void take_out(FreeLists& lists, Chunk& chunk, unsigned bin) {
        is_small ? lists.unlink(chunk) : lists.unlink(chunk, bin);
    }

    /// Of the first of its list a rest that belongs into the same one has its place there, as the smallest:
    /// no other link changes, and no bit of the map.
    [[gnu::always_inline]] void divide(FreeLists& lists, Chunk& chunk, unsigned bin, size_t wanted,
                                       size_t left) {
        Chunk& rest = after(chunk, wanted);
        if (!leaves_rest) {
            make_free(lists, rest, left);
            return;
        }
        const unsigned rest_bin = Policy::bin_of(heap_, left);
        set_free_tags(rest, left);
        if (rest_bin == bin && chunk.previous == lists.ring(bin)) {
            lists.replace(chunk, rest);
        } else {
            take_out(lists, chunk, bin);
            insert(lists, rest, left, rest_bin);
        }
    }

    MALLOOM_BINS_HOT void take_from_free(size_t bytes) {
        heap_.free_bytes -= bytes;
        if (heap_.free_bytes < heap_.least_free_bytes) {
            heap_.least_free_bytes = heap_.free_bytes;
        }
    }

    [[gnu::always_inline]] static void set_free_tags(Chunk& chunk, size_t bytes) {
        chunk.head = bytes | before_lives;
        after(chunk, bytes).bytes_before = bytes;
    }

    /// Its neighbours live, and the tag of the next one says already that it does not.
    MALLOOM_BINS_HOT void make_free(FreeLists& lists, Chunk& chunk, size_t bytes) {
        set_free_tags(chunk, bytes);
        insert(lists, chunk, bytes, Policy::bin_of(heap_, bytes));
    }

    [[gnu::always_inline]] void insert(FreeLists& lists, Chunk& chunk, size_t bytes, unsigned bin) {
        Chunk* const ring = lists.ring(bin);
        Chunk* larger = ring->next;
        if (!has(heap_, MALLOOM_BINS_BOUNDED)) {
            uint32_t steps = 0;
            for (; larger != ring && is_smaller(*larger, bytes); larger = larger->next) {
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
        set_free(&rest, level);
    }

    /// Frees what lies before the first aligned place for an object in a living chunk; the chunk there.
    Chunk& leave_front(Chunk& chunk, size_t alignment, size_t level) {
        const auto object = reinterpret_cast<uintptr_t>(object_of(chunk));
        if ((object & (alignment - 1)) == 0) {
            return chunk;
        }
        const uintptr_t aligned = round_up(object + sizeof(Chunk), alignment);
        const size_t gap = aligned - object;
        Chunk& moved = after(chunk, gap);
        moved.head = (bytes_of(chunk) - gap) | flags;
        chunk.head = gap | (chunk.head & flags);
        set_free(&chunk, level);
        return moved;
    }

    /// In a bounded heap one object a call, and none where another one was given back at the same moment.
    [[gnu::noinline]] void drain() {
        while (release_first_deferred() && !has(heap_, MALLOOM_BINS_BOUNDED)) {
        }
    }

    /// False where there is none. What is wrong with a link would be followed: the others are lost then.
    [[gnu::always_inline]] bool release_first_deferred() {
        const uintptr_t first = structures::load(heap_.deferred);
        if (first == 0) {
            return false;
        }
        void* object = reinterpret_cast<void*>(first);
        const Region* region = nullptr;
        const bool is_living = find_living(object, region) == MALLOOM_BINS_OK;
        const uintptr_t others = is_living ? *static_cast<uintptr_t*>(object) : 0;
        if (structures::replace(false, heap_.deferred, first, others) && is_living) {
            release(object, region->level);
            trace(object, 0);
        }
        return true;
    }

    malloom_bins& heap_;
};

/// alloc of heaps that need no general calls.
template <class Policy>
[[gnu::always_inline]] inline void* make(malloom_bins& heap, size_t bytes) {
    BinHeap<Policy, false> call(heap);
    void* const object = call.allocate(bytes);
    return object != nullptr ? object : refuse(heap, MALLOOM_BINS_NO_MEMORY, bytes);
}

/// free.
template <class Policy, bool general, bool samples = general>
[[gnu::always_inline]] inline malloom_bins_result release(malloom_bins& heap, void* object) {
    BinHeap<Policy, general, samples> call(heap);
    call.release_deferred();
    const Region* const region = region_of(heap, object);
    if (const malloom_bins_result wrong = judge<general>(heap, region, object); wrong != MALLOOM_BINS_OK)
        [[unlikely]] {
        return tell(heap, wrong, reinterpret_cast<uintptr_t>(object));
    }
    call.release(object, region->level);
    call.trace(object, 0);
    return MALLOOM_BINS_OK;
}

}  // namespace malloom::heaps::bins
