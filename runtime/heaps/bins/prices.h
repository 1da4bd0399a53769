// What lists, functions and a rehash take, in steps of a list.
#pragma once

#include <stdint.h>

#include "include/malloom/bins.h"
#include "runtime/codegen/bins/instruction_set.h"
#include "runtime/heaps/bins/counts.h"

namespace malloom::heaps::bins {

// As measured on the simulated core (docs/decisions/bins.md). They need not be exact: a rehash that seems
// twice as cheap as it is comes half as late.
constexpr uint32_t steps_per_chunk = 4;           // to come into its new list
constexpr uint32_t steps_per_bin = 60;            // to be laid out
constexpr uint32_t steps_per_generated_bin = 85;  // and to be in the function
// For each object that is given back there are some three calls of the bin function, which take so many more
// than those of the original do. That one is short enough to stay in a small instruction cache.
constexpr uint32_t steps_per_search = 32;
constexpr uint32_t steps_per_tree = 12;
/// Of them lists are searched, for each object that is given back: for it, for one that is made, for a rest.
constexpr uint32_t searches_per_release = 3;

inline uint32_t product_of(uint32_t one, uint32_t other) {
    uint32_t product = 0;
    return __builtin_mul_overflow(one, other, &product) ? UINT32_MAX : product;
}

/// number * part / whole, to 16 bits of each.
inline uint32_t share(uint32_t number, uint32_t part, uint32_t whole) {
    while ((part | whole) >> 16 != 0) {
        part /= 2;
        whole /= 2;
    }
    unsigned shift = 0;
    while (number >> shift >> 16 != 0) {
        ++shift;
    }
    const uint32_t found = (number >> shift) * part / (whole != 0 ? whole : 1);
    return found <= UINT32_MAX >> shift ? found << shift : UINT32_MAX;
}

inline bool will_generate(const malloom_bins_code* code) {
    return code != nullptr && codegen::bins::own_instruction_set() != nullptr;
}

/// Of the function, for each object that is given back.
inline uint32_t steps_of(malloom_bin_function function) {
    return function == malloom_bins_original   ? 0
           : function == malloom_bins_variable ? steps_per_search
                                               : steps_per_tree;
}
/// The same of one that a rehash would make.
inline uint32_t steps_of_new(const malloom_bins_code* code) {
    return will_generate(code) ? steps_per_tree : steps_per_search;
}

/// Of a rehash.
inline uint32_t price_of(const malloom_bins& heap, const malloom_bins_code* code, uint32_t chunks) {
    const uint32_t per_bin = will_generate(code) ? steps_per_generated_bin : steps_per_bin;
    return sum_of(heap.most_bins * per_bin, product_of(chunks, steps_per_chunk));
}

/// The free chunks of a heap as they lie in their lists.
struct ListUse {
    uint32_t chunks = 0;
    uint32_t steps = 0;  ///< of a search for each of them

    /// Of the searches while so many objects are given back, if their sizes are as those of the chunks.
    uint32_t steps_for(uint32_t releases) const {
        return share(product_of(releases, searches_per_release), steps, chunks);
    }
};

}  // namespace malloom::heaps::bins
