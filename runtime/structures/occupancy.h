// Which granules of an address range hold objects, and where each object begins: two bits per granule of 16
// bytes, beside the range and not in it: free (00), the first of an object (10), a later one of an object
// (11). A claim succeeds only where every granule is free, so objects never overlap whatever places are asked
// for. Lock-free; safe with threads and in signal handlers.
//
// A word has 32 granules. An object within a word comes and goes by one instruction. A larger one is claimed
// from its first word to its last and freed from its last to its first. So at every moment, for threads and
// for signal handlers, a granule says "later" only where the granule before it is the same object's, and an
// object's extent can be read without waiting for its neighbours.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "runtime/structures/freestanding/shared_word.h"

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
    /// The same of a range that is somebody else's, and of bits that are: word_granules to a word. Of both
    /// what is in use must be there, and a word more; the granules are a whole number of words.
    void open(uintptr_t base, uint64_t* words, uint64_t granules);
    /// Gives back all that is its own; for ranges that do not live as long as the process.
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

    /// Brings what says whether the granule is free, and the granule itself, nearer; any number is allowed.
    [[gnu::always_inline]] void prefetch(uint64_t granule) const {
        __builtin_prefetch(words_ + granule / word_granules, 1);
        __builtin_prefetch(reinterpret_cast<void*>(base_ + (granule << granule_shift)), 1);
    }

    /// Whether granules first to first + last share a word.
    [[gnu::always_inline]] static bool share_word(uint64_t first, uint64_t last) {
        return ((first + last) ^ first) < word_granules;
    }

    /// Claims granules first to first + last. False where one is taken or outside the range.
    [[gnu::always_inline]] bool claim(bool is_alone, uint64_t first, uint64_t last) {
        return spans_words(first, last) ? claim_words(first, last) : claim_small(is_alone, first, last);
    }

    /// The same for granules that share a word, as those of small objects mostly do; false for others too.
    /// `last` is below 2^32.
    [[gnu::always_inline]] bool claim_small(bool is_alone, uint64_t first, uint64_t last) {
        // granules_ is a whole number of words.
        if (first >= granules_ || !share_word(first, last)) [[unlikely]] {
            return false;
        }
        uint64_t& word = words_[first / word_granules];
        const uint64_t bits = ((uint64_t{4} << shift_of(last)) - 2) << shift_of(first);
        for (;;) {
            const uint64_t before = load(word);
            if ((before & bits) != 0) [[unlikely]] {
                return false;
            }
            if (replace(is_alone, word, before, before | bits)) [[likely]] {
                return true;
            }
        }
    }

    /// Frees the object that begins at this address if its granules share a word, as those of small objects
    /// mostly do. False, and nothing done, for all others, addresses outside the range, and where something
    /// is wrong: then ask extent.
    [[gnu::always_inline]] bool release_small(bool is_alone, const void* object) {
        // Rotated, what is not aligned lies outside the range.
        const uintptr_t offset = reinterpret_cast<uintptr_t>(object) - base_;
        const uint64_t granule = offset >> granule_shift | offset << (64 - granule_shift);
        if (granule >= granules_) [[unlikely]] {
            return false;
        }
        uint64_t& word = words_[granule / word_granules];
        uint64_t one = uint64_t{1} << shift_of(granule);
        __asm__("" : "+r"(one));  // or compilers shift once for each multiple
        const uint64_t before = load(word);
        // Makes 00 of the first granule (10), and of each later one (11) by the carry; the granule after them
        // takes the carry up. An object that reaches the end of the word may go on in the next.
        const uint64_t carried = before + 2 * one;
        if (carried < before || (carried & 3 * one) != 0) [[unlikely]] {
            return false;
        }
        flip(is_alone, word, before & ~carried);
        return true;
    }

    /// claim for granules in several words, or one.
    bool claim_words(uint64_t first, uint64_t last);

    /// As release_small, for objects that begin in one word and end in the next, or at the end of the first.
    bool release_in_two_words(const void* object);

    /// Frees an object of that extent.
    void release(const void* object, uint64_t granules);

    /// Granules of the object that begins at this address. Aborts where none begins there.
    uint64_t extent(const void* object) const;

    /// Makes the object at this address longer or shorter without moving it; false where the granules after
    /// it are taken.
    bool resize(const void* object, uint64_t granules);

    /// Granules in use in a part of the range; a snapshot while threads run.
    uint64_t count_occupied(uint64_t first, uint64_t granules) const;

    static constexpr uint64_t word_granules = 32;

  private:
    static constexpr uint64_t low_everywhere = 0x5555555555555555;
    static constexpr uint64_t high_everywhere = 0xaaaaaaaaaaaaaaaa;

    bool claim_many(uint64_t first, uint64_t last);
    // Where a granule's bits lie in its word. Compilers see no more than that, so that the processor's own
    // reduction of shifts to 64 is enough.
    [[gnu::always_inline]] static unsigned shift_of(uint64_t granule) {
        uint64_t bit = 2 * granule;
        __asm__("" : "+r"(bit));
        return bit % 64;
    }
    static bool spans_words(uint64_t first, uint64_t last) { return last > (~first & (word_granules - 1)); }
    void release_words(uint64_t first, uint64_t past);
    unsigned state_of(uint64_t granule) const;
    void require_object(const void* object) const;
    uint64_t last_of(uint64_t first) const;

    uintptr_t base_ = 0;
    size_t bytes_ = 0;
    uint64_t granules_ = 0;
    uint64_t* words_ = nullptr;
    bool is_own_ = false;
};

}  // namespace malloom::structures
