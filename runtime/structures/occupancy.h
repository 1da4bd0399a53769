// Which granules of an address range hold objects, and where each object ends: two bits per granule of 16
// bytes, beside the range and not in it. A claim succeeds only where every granule is free, so objects never
// overlap whatever places are asked for. Lock-free; safe with threads and in signal handlers.
//
// A claim first takes the `occupied` bits of all its granules, then sets the `end` bit of its last one,
// before anybody can know the object. An object's extent is therefore read from its own end bit alone; only
// the check that a pointer is an object's start looks at the granule before, whose owner may be halfway
// through, and is repeated then.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "runtime/structures/shared_word.h"

namespace malloom::structures {

constexpr unsigned granule_shift = 4;
constexpr size_t granule_bytes = size_t{1} << granule_shift;

/// Granules that `bytes` need, minus one; 0 bytes need one granule. Never overflows.
[[gnu::always_inline]] inline uint64_t last_granule(size_t bytes) {
    return (bytes - (bytes != 0)) >> granule_shift;
}

class Occupancy {
  public:
    /// Reserves the range (zeroed; 2 MiB-aligned) and its bits. False where address space is short; then it
    /// owns nothing. Not thread-safe: called once, before the range is used.
    bool open(size_t bytes);
    /// Gives everything back; for ranges that do not live as long as the process.
    void close();

    uintptr_t base() const { return base_; }
    uint64_t granules() const { return granules_; }

    [[gnu::always_inline]] bool owns(const void* object) const {
        return reinterpret_cast<uintptr_t>(object) - base_ < bytes_;
    }
    [[gnu::always_inline]] void* address(uint64_t granule) const {
        const uintptr_t place = base_ + (granule << granule_shift);
        if (place == 0) {
            __builtin_unreachable();  // so that callers need not look for null
        }
        return reinterpret_cast<void*>(place);
    }
    [[gnu::always_inline]] uint64_t granule_of(const void* object) const {
        return (reinterpret_cast<uintptr_t>(object) - base_) >> granule_shift;
    }

    /// Claims granules first to first + last. False where one is taken or outside the range.
    [[gnu::always_inline]] bool claim(bool is_alone, uint64_t first, uint64_t last) {
        return spans_words(first, last) ? claim_words(first, last) : claim_small(is_alone, first, last);
    }

    /// The same for granules that share a word of bits, as those of small objects mostly do; false for others
    /// too.
    [[gnu::always_inline]] bool claim_small(bool is_alone, uint64_t first, uint64_t last) {
        if (first >= granules_ || spans_words(first, last)) [[unlikely]] {
            return false;
        }
        Word& word = words_[first / 64];
        const uint64_t begin = uint64_t{1} << (first % 64);
        const uint64_t end = begin << last;
        const uint64_t mask = end + end - begin;
        for (;;) {
            const uint64_t occupied = load(word.occupied);
            if ((occupied & mask) != 0) [[unlikely]] {
                return false;
            }
            const Word* interrupted = is_alone ? begin_change(word) : nullptr;
            const bool done = replace(is_alone, word.occupied, occupied, occupied | mask);
            if (done) [[likely]] {
                flip(is_alone, word.ends, end);
            }
            if (is_alone) {
                end_change(interrupted);
            }
            if (done) [[likely]] {
                return true;
            }
        }
    }

    /// Frees the object that begins at this address if its granules share a word of bits, as small objects
    /// mostly do. False, and nothing done, for all others and where something is wrong: then ask release_any.
    [[gnu::always_inline]] bool release_small(bool is_alone, const void* object) {
        const uintptr_t offset = reinterpret_cast<uintptr_t>(object) - base_;
        const uint64_t first = offset >> granule_shift;
        Word& word = words_[first / 64];
        const uint64_t begin = uint64_t{1} << (first % 64);
        const uint64_t occupied = load(word.occupied);
        const uint64_t ends = load(word.ends);
        // Granules after which an object goes on, moved to the next: none may begin there. The first granule
        // of a word continues one of the word before, perhaps. (Ends are occupied too, unless this races;
        // then ask again.)
        const uint64_t continued = ((occupied ^ ends) << 1) | 1;
        if (((occupied & ~continued) & begin) == 0 || offset % granule_bytes != 0) [[unlikely]] {
            return false;
        }
        const uint64_t later_ends = ends & -begin;
        if (later_ends == 0) [[unlikely]] {
            return false;
        }
        const uint64_t end = later_ends & -later_ends;
        // The end goes first: once the granules are free they may get another one.
        const Word* interrupted = is_alone ? begin_change(word) : nullptr;
        flip(is_alone, word.ends, end);
        flip(is_alone, word.occupied, end + end - begin);
        if (is_alone) {
            end_change(interrupted);
        }
        return true;
    }

    /// Frees an object of that extent.
    void release(const void* object, uint64_t granules);

    /// Granules of the object that begins at this address. Aborts where none begins there.
    uint64_t extent(const void* object) const;

    /// Makes the object at this address longer or shorter without moving it; false where the granules after
    /// it are taken.
    bool resize(const void* object, uint64_t granules);

    /// Granules in use in a part of the range; a snapshot while threads run.
    uint64_t count_occupied(uint64_t first, uint64_t granules) const;

  private:
    struct Word {
        uint64_t occupied;
        uint64_t ends;
    };

    // Around the two instructions that change a word. A signal handler that frees the next object cannot wait
    // for the code that it interrupted, so it looks here. Only a hint: with threads it says nothing, and they
    // can wait.
    [[gnu::always_inline]] const Word* begin_change(const Word& word) {
        const Word* interrupted = __atomic_load_n(&changing_, __ATOMIC_RELAXED);
        end_change(&word);
        return interrupted;
    }
    [[gnu::always_inline]] void end_change(const Word* interrupted) {
        __asm__ volatile("" : : : "memory");
        __atomic_store_n(&changing_, interrupted, __ATOMIC_RELAXED);
        __asm__ volatile("" : : : "memory");
    }

    static bool spans_words(uint64_t first, uint64_t last) { return first % 64 + last > 63; }
    bool claim_words(uint64_t first, uint64_t last);
    bool claim_pair(uint64_t first, uint64_t last);
    bool claim_many(uint64_t first, uint64_t last);
    void release_bits(uint64_t first, uint64_t granules);
    bool begins_object(uint64_t granule) const;
    void require_object(const void* object) const;
    uint64_t end_of(uint64_t granule) const;
    void flip_end(uint64_t granule);

    uintptr_t base_ = 0;
    size_t bytes_ = 0;
    uint64_t granules_ = 0;
    Word* words_ = nullptr;
    const Word* changing_ = nullptr;
};

}  // namespace malloom::structures
