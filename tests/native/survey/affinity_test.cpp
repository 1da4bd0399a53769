#include "src/native/survey/affinity.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

namespace malloom::native {
namespace {

TEST(AffinityBuilder, IsExactWhereTheSuccessorsFit) {
    AffinityBuilder builder(4, 4);
    for (int i = 0; i < 5; ++i) builder.add(0, 1);
    for (int i = 0; i < 9; ++i) builder.add(0, 3);
    builder.add(2, 0);
    const CompressedGraph graph = builder.compress();
    EXPECT_EQ(graph.offsets, (std::vector<uint64_t>{0, 2, 2, 3, 3}));
    EXPECT_EQ(graph.targets, (std::vector<uint32_t>{3, 1, 0}));
    EXPECT_EQ(graph.weights, (std::vector<uint32_t>{9, 5, 1}));
}

TEST(AffinityBuilder, WeightsAreLowerBoundsWithinTheSketchsError) {
    constexpr unsigned width = 4;
    constexpr uint64_t steps = 10000;
    AffinityBuilder builder(1, width);
    std::mt19937_64 random(3);
    std::map<uint32_t, uint64_t> exact;
    for (uint64_t i = 0; i < steps; ++i) {
        // Two frequent successors among many rare ones.
        const auto target = static_cast<uint32_t>(random() % 3 != 0 ? random() % 2 : 2 + random() % 50);
        builder.add(0, target);
        ++exact[target];
    }
    const CompressedGraph graph = builder.compress();
    ASSERT_GE(graph.targets.size(), 2u);
    for (size_t i = 0; i < graph.targets.size(); ++i) {
        EXPECT_LE(graph.weights[i], exact[graph.targets[i]]);
        EXPECT_GE(graph.weights[i] + steps / (width + 1), exact[graph.targets[i]]);
    }
    EXPECT_LE(graph.targets[0], 1u);
    EXPECT_LE(graph.targets[1], 1u);
}

TEST(AffinityBuilder, KeepsFewerEdgesWhereNodesAreMany) {
    EXPECT_EQ(AffinityBuilder::edges_for(1000), 8u);
    EXPECT_EQ(AffinityBuilder::edges_for(10'000'000), 4u);
    EXPECT_EQ(AffinityBuilder::edges_for(100'000'000), 2u);
}

}  // namespace
}  // namespace malloom::native
