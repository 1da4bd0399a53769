// Runs that differ from the recording by a few requests: how many still get a place, and how many their own.
#include <random>

#include "tests/runtime/heaps/compositions.h"

namespace malloom::tests {
namespace {

constexpr uint32_t recorded_requests = 20000;
constexpr uint32_t largest_granules = 64;

struct Edits {
    double inserted = 0;  ///< share of requests before which the run makes another
    double deleted = 0;   ///< that it leaves out
    double resized = 0;   ///< that have another size
};

struct Shares {
    double matched =
        0;  ///< of the recorded requests that the run makes in their size, those that got a place
    double in_place = 0;  ///< and those that got their own
};

// The recorded sizes repeat `period` random ones, as a program does that does the same again and again.
class DriftTest : public testing::Test {
  protected:
    void open(uint32_t sizes, uint32_t period) {
        for (uint32_t i = 0; i < recorded_requests; ++i) {
            slots.push_back({i * largest_granules, i < period ? size(sizes) : slots[i - period].granules});
        }
        PlanBuilder builder(uint64_t{recorded_requests} * largest_granules * 16);
        builder.add_context(1, slots);
        size_t bytes = 0;
        image = builder.build(bytes);
        ASSERT_TRUE(plan.open(reinterpret_cast<const unsigned char*>(image.data()), bytes));
        ASSERT_TRUE(heap.open(plan));
        heap.assign(requester, 0, slots.size());
    }
    void TearDown() override { close(); }
    void close() {
        heap.close();
        plan.close();
        slots.clear();
        requester = {};
    }

    uint32_t size(uint32_t sizes) { return 1 + static_cast<uint32_t>(random() % sizes); }
    bool happens(double share) { return std::uniform_real_distribution<>()(random) < share; }

    // The granule that the request got, or -1.
    int64_t ask(uint32_t granules) {
        void* object = heap.allocate_small(granules * 16, 0, requester);
        object = object != nullptr ? object : heap.allocate({granules * 16, 0, &requester});
        return object == nullptr ? -1 : (static_cast<char*>(object) - static_cast<char*>(heap.arena())) / 16;
    }

    Shares run(uint32_t sizes, const Edits& edits) {
        Shares shares;
        double asked = 0;
        for (const auto& slot : slots) {
            if (happens(edits.inserted)) {
                ask(size(sizes));
            }
            if (happens(edits.deleted)) {
                continue;
            }
            if (happens(edits.resized)) {
                ask(size(sizes));
                continue;
            }
            const int64_t got = ask(slot.granules);
            asked += 1;
            shares.matched += got >= 0;
            shares.in_place += got == slot.start;
        }
        return {shares.matched / asked, shares.in_place / asked};
    }

    std::mt19937_64 random{17};
    std::vector<PlanBuilder::Slot> slots;
    std::vector<uint64_t> image;
    heaps::PlanFile plan;
    heaps::PlanHeap heap;
    heaps::PlannedContext requester;
};

struct Recording {
    uint32_t sizes;
    uint32_t period;
};

class DriftingRuns : public DriftTest, public testing::WithParamInterface<Recording> {};

TEST_P(DriftingRuns, KeepTheirPlaces) {
    const auto [sizes, period] = GetParam();
    for (const Edits& edits : {Edits{.inserted = 0.01}, Edits{.deleted = 0.01}, Edits{.resized = 0.01},
                               Edits{0.01, 0.01, 0.01}, Edits{0.001, 0.001, 0.001}}) {
        open(sizes, period);
        const Shares shares = run(sizes, edits);
        EXPECT_GT(shares.matched, 0.95) << edits.inserted << ' ' << edits.deleted << ' ' << edits.resized;
        EXPECT_GT(shares.in_place, 0.9) << edits.inserted << ' ' << edits.deleted << ' ' << edits.resized;
        EXPECT_EQ(heap.given_up(), 0u);
        close();
    }
}

TEST_P(DriftingRuns, WithoutDriftHaveAllTheirPlaces) {
    open(GetParam().sizes, GetParam().period);
    const Shares shares = run(GetParam().sizes, {});
    EXPECT_EQ(shares.matched, 1);
    EXPECT_EQ(shares.in_place, 1);
}

TEST_P(DriftingRuns, OfAnotherProgramAreGivenUp) {
    open(GetParam().sizes, GetParam().period);
    int asked = 0;
    for (; heaps::PlanHeap::has_slot(requester) && asked < 5000; ++asked) {
        ask(1 + size(4 * GetParam().sizes));
    }
    EXPECT_LT(asked, 1000);
    EXPECT_EQ(heap.given_up(), 1u);
}

INSTANTIATE_TEST_SUITE_P(All, DriftingRuns,
                         testing::Values(Recording{4, 100}, Recording{4, recorded_requests},
                                         Recording{8, 100}, Recording{8, recorded_requests},
                                         Recording{32, 100}, Recording{32, recorded_requests}));

}  // namespace
}  // namespace malloom::tests
