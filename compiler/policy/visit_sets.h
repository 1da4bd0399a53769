// From how often each of some fields was visited, and each two of them together, to sets of fields that were.
#pragma once

#include <cstdint>
#include <vector>

namespace malloom::compiler {

/// Counts of at most 64 things.
struct CountedTogether {
    std::vector<double> single;                 ///< of each
    std::vector<std::vector<double>> together;  ///< of each two; the same both ways
};

struct CountedSet {
    uint64_t members;  ///< by the bits of their numbers
    double count;
};

/// Sets that come to these counts: the largest ones that the counts allow, so that whatever was used together
/// is. What is told of pairs alone may come from other sets too; but of things that are used in nested or in
/// disjoint sets, as fields mostly are, these are the true ones. Counts below `least` are left out.
std::vector<CountedSet> sets_of(CountedTogether counts, double least);

}  // namespace malloom::compiler
