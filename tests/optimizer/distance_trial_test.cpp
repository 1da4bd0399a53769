#include "optimizer/distance_trial.h"

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <random>
#include <vector>

namespace malloom::optimizer {
namespace {

constexpr int64_t stride = 64;

/// In bytes, one a load; 0: no prefetch.
using Distances = std::vector<int64_t>;

Distances in_bytes(const PrefetchDistance* distances, size_t loads) {
    Distances bytes;
    for (size_t i = 0; i < loads; ++i) bytes.push_back(distances[i].bytes);
    return bytes;
}

/// A machine on which an entry of the trace takes as long as `cycles_of_entry` says for the distances of the
/// moment.
struct Machine {
    std::function<double(const Distances&)> cycles_of_entry;
    double noise = 0;         ///< share of a window's time
    double disturbances = 0;  ///< share of windows that take ten times as long
    std::mt19937_64 random{7};
    uint64_t now = 1;
    size_t windows = 0;

    Distances run(size_t loads, const TrialRules& rules = {}) {
        auto trial = std::make_unique<DistanceTrial>();
        const std::vector<int64_t> strides(loads, stride);
        trial->begin(strides.data(), loads, rules);
        do {
            pass_window(*trial, loads);
        } while (!trial->end_window(now) && windows < 100000);
        return in_bytes(trial->distances, loads);
    }

    void pass_window(const DistanceTrial& trial, size_t loads) {
        std::uniform_real_distribution<double> any(0, 1);
        double cycles =
            static_cast<double>(trial.countdown) * cycles_of_entry(in_bytes(trial.distances, loads));
        cycles *= 1 + noise * any(random);
        if (any(random) < disturbances) cycles *= 10;
        now += static_cast<uint64_t>(cycles);
        ++windows;
    }
};

int64_t lines(int64_t ahead) {
    return ahead * 64 + stride;
}

TEST(DistanceTrial, KeepsTheUsualDistanceWherePrefetchesPayAlike) {
    Machine machine{[](const Distances& distances) { return distances[0] == 0 ? 100.0 : 50.0; }};
    EXPECT_EQ(machine.run(1).at(0), lines(5));
}

TEST(DistanceTrial, TriesPartsAndMultiplesOfTheRulesDistance) {
    TrialRules rules;
    rules.distance.lines = 10;
    Machine machine{[](const Distances& distances) { return distances[0] == lines(40) ? 50.0 : 100.0; }};
    EXPECT_EQ(machine.run(1, rules).at(0), lines(40));
}

TEST(DistanceTrial, TakesADistanceThatIsClearlyBetter) {
    for (const int64_t ahead : {2, 10, 20}) {
        Machine machine{[&](const Distances& distances) {
            return distances[0] == lines(ahead) ? 40.0 : distances[0] == 0 ? 100.0 : 80.0;
        }};
        EXPECT_EQ(machine.run(1).at(0), lines(ahead));
    }
}

TEST(DistanceTrial, TakesOutAPrefetchThatSlowsDown) {
    Machine machine{[](const Distances& distances) { return distances[0] == 0 ? 100.0 : 120.0; }};
    EXPECT_EQ(machine.run(1).at(0), 0);
}

TEST(DistanceTrial, TakesOutAPrefetchThatChangesNothingWhateverTheNoise) {
    for (uint64_t seed = 0; seed < 200; ++seed) {
        Machine machine{[](const Distances&) { return 100.0; }, 0.2, 0.1};
        machine.random.seed(seed);
        EXPECT_EQ(machine.run(1).at(0), 0) << seed;
    }
}

TEST(DistanceTrial, SeesAGainThroughDisturbedWindows) {
    for (uint64_t seed = 0; seed < 200; ++seed) {
        Machine machine{[](const Distances& distances) { return distances[0] == 0 ? 100.0 : 60.0; }, 0.1,
                        0.05};
        machine.random.seed(seed);
        EXPECT_NE(machine.run(1).at(0), 0) << seed;
    }
}

TEST(DistanceTrial, GivesUpSoonWhatDoesNotPay) {
    size_t windows = 0;
    for (uint64_t seed = 0; seed < 200; ++seed) {
        Machine machine{[](const Distances&) { return 100.0; }, 0.2, 0.1};
        machine.random.seed(seed);
        machine.run(1);
        windows += machine.windows;
    }
    EXPECT_LT(windows / 200, TrialRules().rounds * DistanceTrial::variants / 2);
}

TEST(DistanceTrial, KeepsSoonWhatPays) {
    Machine machine{[](const Distances& distances) { return distances[0] == 0 ? 100.0 : 50.0; }, 0.1, 0};
    EXPECT_NE(machine.run(1).at(0), 0);
    EXPECT_LT(machine.windows, (TrialRules().rounds * 2 / 3) * DistanceTrial::variants);
}

TEST(DistanceTrial, JudgesEachLoadByItself) {
    Machine machine{[](const Distances& distances) {
        return 200.0 - (distances[0] != 0 ? 80.0 : 0) + (distances[1] != 0 ? 30.0 : 0) -
               (distances[2] == lines(20) ? 50.0 : 0);
    }};
    EXPECT_EQ(machine.run(3), (Distances{lines(5), 0, lines(20)}));
}

TEST(DistanceTrial, MakesWindowsLongEnoughToBeMeasured) {
    TrialRules rules;
    Machine machine{[](const Distances& distances) { return distances[0] == 0 ? 10.0 : 5.0; }};
    EXPECT_EQ(machine.run(1, rules).at(0), lines(5));
    EXPECT_GE(machine.now, rules.window_cycles * 16 * DistanceTrial::variants);
}

TEST(DistanceTrial, EndsWhateverTheTraceCosts) {
    for (const double cycles : {0.0, 0.001, 1e9}) {
        Machine machine{[&](const Distances&) { return cycles; }};
        EXPECT_EQ(machine.run(DistanceTrial::most_loads).size(), DistanceTrial::most_loads);
        EXPECT_LT(machine.windows, 2000u);
    }
}

}  // namespace
}  // namespace malloom::optimizer
