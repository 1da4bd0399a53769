#include "src/native/simulation/cache.h"

#include <gtest/gtest.h>

namespace malloom::native {
namespace {

template <class Replacement>
unsigned misses_of_lines(Cache<Replacement>& cache, unsigned count) {
    unsigned misses = 0;
    for (unsigned line = 0; line < count; ++line)
        misses += cache.reference(uint64_t{line} * 64, 8) == Missed::none ? 0 : 1;
    return misses;
}

TEST(Cache, OfTreePseudoLruHasAnyNumberOfWaysUpToItsMost) {
    for (const unsigned ways : {1u, 2u, 12u, 16u, 20u, 31u, TreePseudoLru::most_ways}) {
        Cache<TreePseudoLru> cache({1, ways, 64});
        EXPECT_EQ(misses_of_lines(cache, ways), ways);
        EXPECT_EQ(misses_of_lines(cache, ways), 0u) << ways;
        EXPECT_GT(misses_of_lines(cache, ways + 1), 0u);
    }
    EXPECT_THROW(Cache<TreePseudoLru>({1, TreePseudoLru::most_ways + 1, 64}), std::invalid_argument);
}

}  // namespace
}  // namespace malloom::native
