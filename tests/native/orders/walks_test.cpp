#include "src/native/orders/walks.h"

#include <gtest/gtest.h>

#include "src/native/orders/conflicts.h"

namespace malloom::native {
namespace {

// Node 0 leads to 1 and 2, node 1 to 2.
constexpr uint64_t offsets[] = {0, 2, 3, 3};
constexpr uint32_t targets[] = {1, 2, 2};
constexpr uint32_t weights[] = {9, 4, 1};
constexpr GraphView graph{offsets, targets, weights};

using Order = std::vector<uint32_t>;

TEST(Walks, NameEachNodeOnce) {
    EXPECT_EQ(grouped(graph, Order{0, 1}), (Order{1, 2, 0}));
    EXPECT_EQ(depth_first(graph, Order{0}), (Order{0, 1, 2}));
}

TEST(Walks, RefuseWhatIsNoNode) {
    for (const uint32_t stranger : {3u, 4u, UINT32_MAX}) {
        EXPECT_THROW(grouped(graph, Order{0, stranger}), std::invalid_argument);
        EXPECT_THROW(depth_first(graph, Order{stranger}), std::invalid_argument);
        EXPECT_THROW(avoid_conflicts(graph, Order{stranger}, Order{1, 1, 1}, {64, 8, 4}),
                     std::invalid_argument);
    }
}

}  // namespace
}  // namespace malloom::native
