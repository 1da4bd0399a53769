// The order in which a program uses its objects once it has built them.
#pragma once

#include <stdint.h>

#include <vector>

#include "src/native/access_source.h"

namespace malloom::native {

/// How often a stretch of the stream reached an object for the first time ever.
struct Stretch {
    uint64_t accesses = 0;
    uint64_t first_uses = 0;
};

/// Cuts the stream into stretches of `length` accesses.
std::vector<Stretch> survey_stretches(AccessSource& source, uint32_t requests, uint64_t length);

/// The steady phase: the longest run of stretches in which at most one access in `rarity` is a first use;
/// empty (begin == end) where there is none.
struct Phase {
    uint64_t begin = 0;  ///< first access
    uint64_t end = 0;    ///< access after the last
};
Phase steady_phase(const std::vector<Stretch>& stretches, uint64_t length, uint64_t rarity);

/// Per request the position at which it is first used in the phase; UINT64_MAX where it is not.
std::vector<uint64_t> first_uses_in(AccessSource& source, uint32_t requests, const Phase& phase);

}  // namespace malloom::native
