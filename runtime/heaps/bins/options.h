// What an instance was asked for, and which calls it needs for that.
#pragma once

#include <stdint.h>

#include "include/malloom/bins.h"
#include "runtime/structures/freestanding/shared_word.h"

/// The options that the heap is compiled with; others are refused. Firmware that leaves some out is smaller.
#ifndef MALLOOM_BINS_OPTIONS
#define MALLOOM_BINS_OPTIONS (2 * MALLOOM_BINS_COUNT_STEPS - 1)
#endif

/// The same of what bins are laid out by: a bit for each of malloom_bins_ranges.
#ifndef MALLOOM_BINS_RANGES
#if defined(__OPTIMIZE_SIZE__)
#define MALLOOM_BINS_RANGES (1 << MALLOOM_BINS_LINEAR | 1 << MALLOOM_BINS_SMOOTH | 1 << MALLOOM_BINS_BY_COST)
#else
#define MALLOOM_BINS_RANGES                                                            \
    (1 << MALLOOM_BINS_LINEAR | 1 << MALLOOM_BINS_SMOOTH | 1 << MALLOOM_BINS_BY_COST | \
     1 << MALLOOM_BINS_BY_OCTAVE)
#endif
#endif

namespace malloom::heaps::bins {

static_assert((MALLOOM_BINS_RANGES & ~(1 << MALLOOM_BINS_LINEAR | 1 << MALLOOM_BINS_SMOOTH |
                                       1 << MALLOOM_BINS_BY_COST | 1 << MALLOOM_BINS_BY_OCTAVE)) == 0,
              "MALLOOM_BINS_RANGES has a bit that stands for no ranges of malloom_bins_ranges");

constexpr bool has_ranges(unsigned ranges) {
    return ranges == MALLOOM_BINS_AS_THEY_ARE || (ranges < 8 && (MALLOOM_BINS_RANGES >> ranges & 1) != 0);
}

/// Of malloom_bins_settings::options.
constexpr unsigned counting =
    MALLOOM_BINS_OPTIONS &
    (MALLOOM_BINS_COUNT_INSERTIONS | MALLOOM_BINS_COUNT_EXTRACTIONS | MALLOOM_BINS_COUNT_STEPS);
/// A further one, which is not the owner's: malloom_bins::automatic is told of objects that are given back,
/// or one of so many is counted.
constexpr unsigned samples_releases = 2 * MALLOOM_BINS_COUNT_STEPS;
constexpr bool may_be_automatic = (counting & MALLOOM_BINS_COUNT_STEPS) != 0;
constexpr unsigned known_options = MALLOOM_BINS_OPTIONS | (may_be_automatic ? samples_releases : 0);
/// Few heaps have one of these: general calls alone ask for them.
constexpr unsigned rare_options =
    MALLOOM_BINS_CLEAR_ON_FREE | MALLOOM_BINS_CHECKED_LINKS | MALLOOM_BINS_THOROUGH;

/// Whether it has any of them.
[[gnu::always_inline]] inline bool has(const malloom_bins& heap, unsigned options) {
    return (heap.options & options & known_options) != 0;
}

/// Where size counts all calls are general, and parts of calls are functions.
#if defined(__OPTIMIZE_SIZE__)
constexpr bool is_small = true;
#else
constexpr bool is_small = false;
#endif

/// The same alloc and free for heaps that need less.
enum Calls : uint8_t {
    general_calls,           ///< hooks, rare options, objects that were given back meanwhile
    plain_calls,             ///< none of them
    sampling_calls,          ///< the same, and the automatic rehash is told of each object that is given back
    original_calls,          ///< neither that nor counters, and dlmalloc's bins, whose function needs no call
    original_sampling_calls  ///< the same, and one object of many that are given back
};

/// After its hooks, its options, or its function have changed.
inline void choose_calls(malloom_bins& heap) {
    if (is_small) {
        return;
    }
    const bool is_plain = heap.hooks == nullptr && !has(heap, rare_options);
    const bool is_original = heap.function == malloom_bins_original && !has(heap, counting);
    const bool samples = has(heap, samples_releases);
    const Calls wanted = !is_plain     ? general_calls
                         : is_original ? (samples ? original_sampling_calls : original_calls)
                         : samples     ? sampling_calls
                                       : plain_calls;
    // Calls read it before they take the lock of a heap that has one, whose calls stay general ones.
    if (heap.calls != wanted) {
        heap.calls = wanted;
    }
}

inline void set_options(malloom_bins& heap, unsigned options) {
    heap.options = static_cast<uint8_t>(options);
    choose_calls(heap);
}

/// Of a call that begins now.
[[gnu::always_inline]] inline unsigned calls_of(const malloom_bins& heap) {
    const bool may_be_quick = !is_small && structures::load_relaxed(heap.deferred) == 0;
    return may_be_quick ? heap.calls : unsigned{general_calls};
}

}  // namespace malloom::heaps::bins
