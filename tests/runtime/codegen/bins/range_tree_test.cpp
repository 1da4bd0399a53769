// Trees of comparisons, recorded instead of written as machine code.
#include "runtime/codegen/bins/range_tree.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "runtime/codegen/bins/bits.h"
#include "runtime/codegen/bins/range_leaves.h"
#include "tests/runtime/codegen/bins/layouts.h"

namespace malloom::tests {
namespace {

using namespace codegen::bins;

enum class Kind { comparison, constant, run };

/// What stands for an instruction; each takes four bytes.
struct Step {
    Kind kind;
    Comparison comparison = {};
    unsigned constant = 0;
    Run run = {};
};
std::vector<Step> steps;

void record(CodeWriter& code, const Step& step) {
    steps.push_back(step);
    code.put_4(0);
}

const InstructionSet recorded = {
    [](CodeWriter& code, const Comparison& comparison) { record(code, {Kind::comparison, comparison}); },
    [](CodeWriter& code, unsigned value) { record(code, {Kind::constant, {}, value}); },
    [](CodeWriter& code, const Run& run) { record(code, {Kind::run, {}, 0, run}); },
    [](uint32_t constant) { return constant == 1    ? 0U
                                   : constant < 100 ? 1U
                                                    : 2U; },
    1,
    6,
    5,
    0};

InstructionSet balanced() {
    InstructionSet result = recorded;
    result.eighths_going_on = 4;
    return result;
}

/// How a size went through the tree.
struct Way {
    unsigned bin = 0;
    unsigned comparisons = 0;
    unsigned jumps = 0;
};

class Tree {
  public:
    explicit Tree(const Layout& layout, const InstructionSet& instructions = recorded)
        : ranges_(layout.ranges()) {
        std::vector<uint32_t> scratch(layout.begins.size());
        CodeWriter code(nullptr, 0);
        steps.clear();
        write_tree(ranges_, instructions, scratch.data(), code);
        steps_.swap(steps);
    }

    Way way_of(uint32_t size) const {
        Way way;
        unsigned copy_shift = 0;
        for (size_t index = steps_.size() - 1;; --index) {
            const Step& step = steps_[index];
            if (step.kind != Kind::comparison) {
                way.bin = step.kind == Kind::constant ? step.constant : bin_of(step.run, size);
                EXPECT_TRUE(step.kind == Kind::constant || step.run.copy_shift == copy_shift);
                return way;
            }
            const Comparison& comparison = step.comparison;
            if (comparison.makes_copy) {
                copy_shift = comparison.copy_shift;
            }
            EXPECT_TRUE(comparison.copy_shift == 0 || comparison.copy_shift == copy_shift);
            ++way.comparisons;
            if ((size >> comparison.copy_shift < comparison.constant) == comparison.jumps_if_below) {
                ++way.jumps;
                index = comparison.target / 4;
            }
        }
    }

    /// On the way to each bin, weighted.
    template <typename Count>
    double mean(Count count) const {
        double sum = 0, weights = 0;
        for (unsigned range = 0; range < ranges_.count; ++range) {
            const double weight = ranges_.weights == nullptr ? 1 : ranges_.weights[range];
            sum += weight * count(way_of(ranges_.begin(range)));
            weights += weight;
        }
        return sum / weights;
    }

    unsigned deepest() const {
        unsigned most = 0;
        for (unsigned range = 0; range < ranges_.count; ++range) {
            most = std::max(most, way_of(ranges_.begin(range)).comparisons);
        }
        return most;
    }

    size_t leaves() const {
        return std::count_if(steps_.begin(), steps_.end(),
                             [](const Step& step) { return step.kind != Kind::comparison; });
    }

  private:
    static unsigned bin_of(const Run& run, uint32_t size) {
        return (run.is_descending ? run.offset - size : size + run.offset) >> run.shift;
    }

    BinRanges ranges_;
    std::vector<Step> steps_;
};

double comparisons_of(const Way& way) {
    return way.comparisons;
}

/// Bins so far apart that no two ranges make a run.
Layout without_runs(Layout layout) {
    for (size_t range = 0; range < layout.begins.size(); ++range) {
        layout.indices.push_back(static_cast<uint16_t>(range * 37));
    }
    return layout;
}

TEST(RangeTreeTest, LeadsToTheRightBins) {
    for (const Layout& layout : various_layouts()) {
        const Tree tree(layout);
        const BinRanges ranges = layout.ranges();
        for (unsigned range = 0; range < ranges.count; ++range) {
            EXPECT_EQ(tree.way_of(ranges.begin(range)).bin, ranges.index(range)) << layout.name << range;
            const uint32_t last = range + 1 < ranges.count ? ranges.end(range) - 1 : UINT32_MAX;
            EXPECT_EQ(tree.way_of(last).bin, ranges.index(range)) << layout.name << range;
        }
    }
}

TEST(RangeTreeTest, MakesRunsOfWhatIsLikeOne) {
    // dlmalloc's six widths, and the last bin.
    EXPECT_EQ(Tree(original_layout()).leaves(), 7U);
    EXPECT_EQ(Tree(descending(original_layout())).leaves(), 7U);
    // An octave each, the first one with what is below it, and the last part.
    EXPECT_EQ(Tree(octave_layout(127)).leaves(), 16U);
    EXPECT_EQ(Tree({"cut off on both sides", {0, 16, 48, 80, 112, 130, 200}}).leaves(), 3U);
    EXPECT_EQ(Tree({"any two", {0, 1000, 1001, 5000, 5001, 9000}}).leaves(), 4U);
    EXPECT_EQ(Tree({"the same bin", {0, 32, 64, 96, 128}, {0, 0, 1, 2, 2}}).leaves(), 3U);
}

TEST(RangeTreeTest, HeavyRangesAreAlone) {
    Layout layout = {"pairs", {0, 1000, 1700, 2800, 3900, 5000, 6400}};
    EXPECT_EQ(Tree(layout).leaves(), 4U);
    layout.weights = {10, 10, 10, 1000, 10, 10, 10};
    const Tree tree(layout);
    EXPECT_EQ(tree.leaves(), 5U);
    EXPECT_EQ(tree.way_of(3000).comparisons, 2U);
    EXPECT_EQ(tree.way_of(3000).jumps, 0U);
}

TEST(RangeTreeTest, WeightsDoNotMakeItDeep) {
    for (const unsigned count : {2U, 3U, 7U, 8U, 9U, 33U, 127U, 1000U, 1024U}) {
        Random random(count);
        Layout layout = without_runs(random_layout(random, count, 8, 100));
        for (unsigned range = 0; range < count; ++range) {
            layout.weights.push_back(range < 32 ? 1U << (31 - range) : 0);
        }
        EXPECT_LE(Tree(layout).deepest(), 2 * bit_width(count - 1) + 2) << count;
        std::reverse(layout.weights.begin(), layout.weights.end());
        EXPECT_LE(Tree(layout).deepest(), 2 * bit_width(count - 1) + 2) << count;
        std::fill(layout.weights.begin(), layout.weights.end(), UINT32_MAX);
        EXPECT_LE(Tree(layout, balanced()).deepest(), bit_width(count - 1) + 1) << count;
        std::fill(layout.weights.begin(), layout.weights.end(), 0);
        EXPECT_LE(Tree(layout, balanced()).deepest(), bit_width(count - 1) + 1) << count;
    }
}

/// The least mean number of comparisons that any tree has (Knuth 1971).
double optimal_comparisons(const std::vector<uint32_t>& weights) {
    const size_t count = weights.size();
    std::vector<double> sums(count + 1);
    for (size_t leaf = 0; leaf < count; ++leaf) {
        sums[leaf + 1] = sums[leaf] + weights[leaf];
    }
    std::vector<std::vector<double>> costs(count, std::vector<double>(count));
    for (size_t length = 2; length <= count; ++length) {
        for (size_t first = 0; first + length <= count; ++first) {
            const size_t last = first + length - 1;
            double least = INFINITY;
            for (size_t split = first; split < last; ++split) {
                least = std::min(least, costs[first][split] + costs[split + 1][last]);
            }
            costs[first][last] = least + sums[last + 1] - sums[first];
        }
    }
    return costs[0][count - 1] / sums[count];
}

double entropy(const std::vector<uint32_t>& weights) {
    double sum = 0, result = 0;
    for (const uint32_t weight : weights) {
        sum += weight;
    }
    for (const uint32_t weight : weights) {
        result -= weight == 0 ? 0 : weight / sum * std::log2(weight / sum);
    }
    return result;
}

TEST(RangeTreeTest, IsNearlyOptimal) {
    double sum = 0;
    constexpr unsigned trials = 200;
    Random random(9);
    for (unsigned trial = 0; trial < trials; ++trial) {
        const unsigned count = 2 + up_to(random, 100);
        const Layout layout =
            with_random_weights(random, without_runs(random_layout(random, count, 8, 100)), 1 << 20);
        const double comparisons = Tree(layout, balanced()).mean(comparisons_of);
        EXPECT_LE(comparisons, entropy(layout.weights) + 2);
        sum += comparisons / optimal_comparisons(layout.weights);
    }
    EXPECT_LT(sum / trials, 1.05);
}

TEST(RangeTreeTest, GoesOnMoreOftenThanItJumps) {
    Random random(10);
    for (unsigned trial = 0; trial < 100; ++trial) {
        const Layout layout =
            with_random_weights(random, without_runs(random_layout(random, 100, 8, 100)), 1 << 20);
        const Tree tree(layout);
        const double jumps = tree.mean([](const Way& way) { return double{1} * way.jumps; });
        EXPECT_LT(jumps, 0.42 * tree.mean(comparisons_of));
    }
}

}  // namespace
}  // namespace malloom::tests
