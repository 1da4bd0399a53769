// The sizes of docs/guide/bounded-heap.md under sequences made to break them: by hand, and by search.
#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "tests/amount.h"
#include "tests/runtime/heaps/bins/adversary.h"
#include "tests/runtime/heaps/bins/small_heap.h"

namespace malloom::tests {
namespace {

constexpr size_t pointer = sizeof(void*), least_chunk = 4 * pointer;
constexpr auto bounded = static_cast<unsigned>(MALLOOM_BINS_BOUNDED);

/// A heap of as many bytes as are enough.
class EnoughHeap : public SmallHeap {
  public:
    EnoughHeap(const Limits& limits, const malloom_bins_settings& settings)
        : SmallHeap(0, settings),
          bytes(malloom_bins_enough_for(&heap, limits.objects, limits.bytes, limits.largest)),
          memory_(bytes / sizeof(uint64_t) + 2) {
        // At an odd address: what that costs is in it.
        EXPECT_EQ(malloom_bins_add_region(&heap, reinterpret_cast<char*>(memory_.data()) + 1, bytes, 0),
                  MALLOOM_BINS_OK);
    }
    /// All but the largest free chunk: what the heap would have needed, at least.
    double pinned() const {
        return static_cast<double>(bytes - statistics().largest_bytes) / static_cast<double>(bytes);
    }

    const size_t bytes;

  private:
    std::vector<uint64_t> memory_;
};

/// 2 M (1 + ceil(log2 n)) in least chunks, which o1heap's documentation gives for powers of two.
size_t half_fit_bytes(size_t live_bytes, size_t largest) {
    size_t octaves = 0;
    while (least_chunk << octaves < largest) {
        ++octaves;
    }
    return 2 * live_bytes * (1 + octaves);
}

TEST(EnoughHeap, ShrinkingInPlaceTakesNearlyAllOfIt) {
    for (const unsigned options : {0u, bounded}) {
        const Limits limits = {500, 2 * 4'080, 4'080 - pointer};
        EnoughHeap small(limits, {.options = options});
        void* last = malloom_bins_alloc(&small.heap, limits.largest);
        for (size_t i = 2; i < limits.objects; ++i) {
            void* wall = malloom_bins_alloc(&small.heap, limits.largest);
            ASSERT_NE(wall, nullptr) << i;
            ASSERT_EQ(malloom_bins_realloc(&small.heap, last, 0), last);
            last = wall;
        }
        EXPECT_GT(small.pinned(), 0.9);
        EXPECT_LT(small.pinned(), 1.0);
        EXPECT_GT(small.pinned() * static_cast<double>(small.bytes),
                  static_cast<double>(half_fit_bytes(limits.objects * least_chunk + 2 * 4'080, 4'080)));
        EXPECT_NE(malloom_bins_alloc(&small.heap, limits.largest), nullptr);
    }
}

/// Leaves a least object behind a gap of `chunk` less that, far from all others, by requests of at most a
/// chunk of that size: the gap is made by two, and what the second one leaves over is taken by the third.
void wedge(malloom_bins& heap, size_t chunk) {
    void* first = malloom_bins_alloc(&heap, chunk - pointer);
    void* wall = malloom_bins_alloc(&heap, chunk - pointer);
    EXPECT_EQ(malloom_bins_free(&heap, first), MALLOOM_BINS_OK);
    void* gap = malloom_bins_alloc(&heap, chunk - least_chunk - pointer);
    EXPECT_EQ(gap, first) << "it is the best";
    EXPECT_NE(malloom_bins_alloc(&heap, 0), nullptr);
    EXPECT_EQ(malloom_bins_free(&heap, gap), MALLOOM_BINS_OK);
    EXPECT_EQ(malloom_bins_free(&heap, wall), MALLOOM_BINS_OK);
}

TEST(EnoughHeap, WedgesTakeNearlyAllOfABoundedOne) {
    constexpr size_t chunk = 4'080;
    const Limits limits = {500, 3 * chunk, chunk - pointer};
    EnoughHeap small(limits, {.options = bounded});
    for (size_t i = 3; i < limits.objects; ++i) {
        wedge(small.heap, chunk);
    }
    EXPECT_GT(small.pinned(), 0.9) << "without a realloc";
    EXPECT_NE(malloom_bins_alloc(&small.heap, limits.largest), nullptr);
}

TEST(EnoughHeap, WedgesOfGrowingSizesTakeMuchOfABestFit) {
    constexpr size_t largest = 4'080;
    const Limits limits = {3 + (largest - 2'048) / 16 + 1, 3 * largest, largest - pointer};
    EnoughHeap small(limits, {.alignment = 16});
    for (size_t chunk = 2'048; chunk <= largest; chunk += 16) {
        wedge(small.heap, chunk);
    }
    EXPECT_GT(small.pinned(), 0.65);
    EXPECT_GT(small.pinned() * static_cast<double>(small.bytes),
              static_cast<double>(half_fit_bytes(limits.objects * least_chunk + 2 * largest, largest)))
        << "no such formula holds for best fit either";
}

struct SizeCase {
    unsigned options;
    unsigned most_steps;
    size_t alignment;
};

/// What a sequence pins of a heap that is enough.
double pinned_by(const SizeCase& tried, const Limits& limits, const Sequence& sequence) {
    struct {
        void before() {}
        void after(CallKind, size_t) {}
    } nothing;
    EnoughHeap small(
        limits, {.alignment = tried.alignment, .options = tried.options, .most_steps = tried.most_steps});
    EXPECT_EQ(Player(small.heap, limits, nothing).play(sequence, 40), 0u);
    EXPECT_TRUE(small.is_whole());
    return small.pinned();
}

TEST(EnoughHeap, NoSequenceFoundNeedsMore) {
    const std::vector all = {CallKind::alloc, CallKind::alloc,   CallKind::alloc,      CallKind::free,
                             CallKind::free,  CallKind::realloc, CallKind::free_later, CallKind::aligned};
    const std::vector plain = {CallKind::alloc, CallKind::alloc, CallKind::free};
    const SizeCase cases[] = {{0, 0, 0}, {bounded, 1, 0}, {bounded, 3, 8}, {bounded, 3, 64}};
    double worst = 0;
    for (const SizeCase& tried : cases) {
        for (const auto& kinds : {all, plain}) {
            Search search(tried.most_steps, 10, kinds);
            const double found = search.run(search_rounds(400U), [&](const Sequence& sequence) {
                return pinned_by(tried, {40, 9'000, 3'000}, sequence);
            });
            worst = std::max(worst, found);
        }
    }
    EXPECT_LT(worst, 1.0);
    EXPECT_GT(worst, 0.3) << "it gets somewhere";
}

TEST(EnoughHeap, MoreObjectsOrBytesNeedMore) {
    SmallHeap small(0, {.options = bounded});
    const size_t enough = malloom_bins_enough_for(&small.heap, 10, 5'000, 1'000);
    EXPECT_GT(enough, 5'000u);
    EXPECT_GT(malloom_bins_enough_for(&small.heap, 11, 5'000, 1'000), enough);
    EXPECT_EQ(malloom_bins_enough_for(&small.heap, 10, 5'001, 1'000), enough + 1);
    EXPECT_GT(malloom_bins_enough_for(&small.heap, 10, 5'000, 1'100), enough);
    SmallHeap sorted(0);
    EXPECT_LT(malloom_bins_enough_for(&sorted.heap, 10, 5'000, 1'000), enough) << "the best fit";
}

TEST(EnoughHeap, NoSizeIsEnoughForTheLastBin) {
    SmallHeap small(0, {.options = bounded}), sorted(0);
    EXPECT_EQ(malloom_bins_enough_for(&small.heap, 2, 8 << 20, 4 << 20), 0u);
    EXPECT_GT(malloom_bins_enough_for(&sorted.heap, 2, 8 << 20, 4 << 20), size_t{8 << 20});
    EXPECT_EQ(malloom_bins_enough_for(&sorted.heap, 0, 100, 10), 0u);
    EXPECT_EQ(malloom_bins_enough_for(&sorted.heap, SIZE_MAX, 100, 10), 0u);
    EXPECT_EQ(malloom_bins_enough_for(&sorted.heap, 2, SIZE_MAX, 10), 0u);
    EXPECT_EQ(malloom_bins_enough_for(&sorted.heap, 2, 100, SIZE_MAX), 0u);
}

/// Makes and frees by chance, and after each step asks for as much as there is said to be, and for more.
void expect_largest_is_right(const malloom_bins_settings& settings, unsigned seed) {
    SmallHeap small(1 << 14, settings);
    std::mt19937 random(seed);
    std::vector<void*> objects;
    for (int step = 0; step < 400; ++step) {
        if (random() % 3 != 0 || objects.empty()) {
            objects.push_back(malloom_bins_alloc(&small.heap, 1 + random() % 600));
        } else {
            std::swap(objects[random() % objects.size()], objects.back());
            malloom_bins_free(&small.heap, objects.back());
            objects.pop_back();
        }
        const size_t largest = small.statistics().largest_bytes;
        ASSERT_EQ(malloom_bins_alloc(&small.heap, largest + small.heap.granule), nullptr) << largest;
        void* const object = malloom_bins_alloc(&small.heap, largest);
        ASSERT_EQ(object != nullptr, largest != 0) << largest;
        malloom_bins_free(&small.heap, object);
    }
}

TEST(Largest, IsWhatARequestFinds) {
    for (unsigned seed = 0; seed < 20; ++seed) {
        expect_largest_is_right({}, seed);
        for (unsigned most_steps = 1; most_steps < 4; ++most_steps) {
            expect_largest_is_right({.options = bounded, .most_steps = most_steps, .levels = 2}, seed);
        }
    }
}

}  // namespace
}  // namespace malloom::tests
