// The free chunks of a heap: a list for each bin, and a map of the bins that hold something.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "include/malloom/bins.h"
#include "runtime/heaps/bins/chunk.h"

namespace malloom::heaps::bins {

/// A list is a ring with the bin's two links in it, as if they were a chunk's, so that a chunk leaves it
/// without knowing its bin.
[[gnu::always_inline]] inline Chunk* ring_of(malloom_bins_links& links) {
    return reinterpret_cast<Chunk*>(reinterpret_cast<char*>(&links) - head_bytes);
}

[[gnu::always_inline]] inline unsigned lowest_bit(uint32_t word) {
#if defined(__riscv) && !defined(__riscv_zbb)
    // Where no instruction counts zeros: a product that has another upper end for each power of two (de
    // Bruijn).
    constexpr static uint8_t places[32] = {0,  1,  28, 2,  29, 14, 24, 3, 30, 22, 20, 15, 25, 17, 4,  8,
                                           31, 27, 13, 23, 21, 19, 16, 7, 26, 12, 18, 6,  11, 5,  10, 9};
    return places[((word & -word) * 0x077cb531u) >> 27];
#else
    return static_cast<unsigned>(__builtin_ctz(word));
#endif
}

/// Of FreeLists::next_filled.
constexpr unsigned no_bin = ~0u;

/// The lists of one level.
class FreeLists {
  public:
    MALLOOM_BINS_HOT FreeLists(malloom_bins& heap, size_t level)
        : heap_(heap), lists_(heap.lists), filled_(heap.filled) {
        if (level != 0) [[unlikely]] {
            lists_ += level * heap.most_bins;
            filled_ += level * heap.map_words;
        }
    }

    MALLOOM_BINS_HOT void clear() {
        for (unsigned bin = 0; bin < heap_.bins; ++bin) {
            lists_[bin] = {ring_of(lists_[bin]), ring_of(lists_[bin])};
        }
        for (unsigned word = 0; word < heap_.map_words; ++word) {
            filled_[word] = 0;
        }
    }

    /// All chunks by their `previous`, from the last of the last bin on: the largest first where bins are
    /// sorted. The lists are to be cleared then.
    Chunk* take_all() {
        Chunk* all = nullptr;
        for (unsigned bin = next_filled(0); bin != no_bin; bin = next_filled(bin + 1)) {
            lists_[bin].next->previous = all;
            all = lists_[bin].previous;
        }
        return all;
    }

    /// A chunk of the last bin that holds one: the largest where bins are sorted. Null where none does.
    Chunk* last() {
        Chunk* found = nullptr;
        for (unsigned bin = next_filled(0); bin != no_bin; bin = next_filled(bin + 1)) {
            found = lists_[bin].previous;
        }
        return found;
    }

    [[gnu::always_inline]] Chunk* ring(unsigned bin) { return ring_of(lists_[bin]); }

    /// The first bin from this one on that holds a chunk, which may be one behind the last; no_bin where none
    /// does.
    MALLOOM_BINS_HOT unsigned next_filled(unsigned bin) const {
        unsigned word = bin / 32;
        uint32_t here = filled_[1 + word] & (~uint32_t{0} << bin % 32);
        if (here == 0) {
            const uint32_t further = filled_[0] & (~uint32_t{1} << word % 32);
            if (further == 0) {
                return no_bin;
            }
            word = lowest_bit(further);
            here = filled_[1 + word];
        }
        return word * 32 + lowest_bit(here);
    }

    MALLOOM_BINS_HOT void link(Chunk& chunk, Chunk& next, unsigned bin) {
        Chunk& previous = *next.previous;
        chunk.next = &next;
        chunk.previous = &previous;
        previous.next = &chunk;
        next.previous = &chunk;
        uint32_t& word = filled_[1 + bin / 32];
        if (word == 0) {
            filled_[0] |= uint32_t{1} << bin / 32;
        }
        word |= uint32_t{1} << bin % 32;
    }

    MALLOOM_BINS_HOT void unlink(Chunk& chunk) {
        if (Chunk* const ring = take_out(chunk); ring != nullptr) {
            const auto* links =
                reinterpret_cast<malloom_bins_links*>(reinterpret_cast<char*>(ring) + head_bytes);
            note_empty(static_cast<unsigned>(links - lists_));
        }
    }
    /// The same where its bin is known.
    MALLOOM_BINS_HOT void unlink(Chunk& chunk, unsigned bin) {
        if (take_out(chunk) != nullptr) {
            note_empty(bin);
        }
    }

    /// Another chunk takes its place.
    MALLOOM_BINS_HOT static void replace(const Chunk& chunk, Chunk& other) {
        other.next = chunk.next;
        other.previous = chunk.previous;
        other.previous->next = &other;
        other.next->previous = &other;
    }

  private:
    /// The bin's own links where no chunk is left in it; else null.
    [[gnu::always_inline]] static Chunk* take_out(Chunk& chunk) {
        Chunk* const next = chunk.next;
        Chunk* const previous = chunk.previous;
        previous->next = next;
        next->previous = previous;
        return next == previous ? next : nullptr;
    }

    [[gnu::always_inline]] void note_empty(unsigned bin) {
        uint32_t& word = filled_[1 + bin / 32];
        word &= ~(uint32_t{1} << bin % 32);
        if (word == 0) {
            filled_[0] &= ~(uint32_t{1} << bin / 32);
        }
    }

    malloom_bins& heap_;
    malloom_bins_links* lists_;
    uint32_t* filled_;
};

}  // namespace malloom::heaps::bins
