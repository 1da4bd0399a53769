// docs/guide/bounded-heap.md under sequences that are made to break it: by hand, and by search.
#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "tests/amount.h"
#include "tests/runtime/heaps/bins/adversary.h"
#include "tests/runtime/heaps/bins/small_heap.h"

namespace {

size_t blocks = 0;     // of the heap's code that have run
size_t bin_calls = 0;  // of the function from a size to its bin

unsigned counted_function(size_t bytes, const malloom_bins* heap) {
    ++bin_calls;
    return malloom_bins_variable(bytes, heap);
}

}  // namespace

/// Each block of the heap, which is compiled for that, begins with this.
extern "C" void __sanitizer_cov_trace_pc() {
    ++blocks;
}

namespace malloom::tests {
namespace {

constexpr size_t pointer = sizeof(void*), least_chunk = 4 * pointer;
constexpr auto bounded = static_cast<unsigned>(MALLOOM_BINS_BOUNDED);

// Steps.

/// What a call may take: chunks of lists that are passed, calls of the bin function, walks through the list
/// of regions.
struct Steps {
    size_t list;
    size_t bins;
    size_t walks;
};

/// The guide's table, with one object that was given to free_later.
Steps most_steps(CallKind kind, const malloom_bins& heap) {
    const size_t levels = heap.levels, list = heap.most_steps * levels;
    const bool is_checked = (heap.options & MALLOOM_BINS_CHECKED_LINKS) != 0;
    const size_t links = is_checked ? 2 : 0, judging = 1 + 2 * links;
    const size_t several = levels > 1 ? 1 : 0;
    const Steps later = {0, 1, judging};
    switch (kind) {
        case CallKind::alloc:
            return {list, levels + 1 + later.bins, links + later.walks};
        case CallKind::aligned:
            return {list, levels + 3 + later.bins, several + links + later.walks};
        case CallKind::realloc:
            return {list, levels + 2 + later.bins, judging + links + later.walks};
        default:
            return {0, 1 + later.bins, judging + later.walks};
    }
}

/// Of code that runs in each call once, in each step through a list, and for each region of a walk.
constexpr size_t fixed_blocks = 200, list_blocks = 4, region_blocks = 5;

size_t most_blocks(const Steps& steps, size_t regions) {
    return fixed_blocks + list_blocks * steps.list + region_blocks * regions * steps.walks;
}

/// Of all calls of a sequence.
struct Worst {
    double part;  ///< of the blocks that a call may run
    size_t list_steps;
};

/// Compares each call with the table, and keeps the worst.
class StepWatch {
  public:
    StepWatch(const malloom_bins& heap, size_t regions) : heap_(heap), regions_(regions) {}

    void before() {
        list_ = list_steps();
        bin_calls = 0;
        blocks = 0;
    }
    void after(CallKind kind, size_t copied) {
        const Steps most = most_steps(kind, heap_);
        const size_t most_ran = most_blocks(most, regions_) + copied / sizeof(size_t);
        const size_t ran = blocks;
        EXPECT_LE(list_steps() - list_, most.list) << static_cast<int>(kind);
        EXPECT_LE(bin_calls, most.bins) << static_cast<int>(kind);
        EXPECT_LE(ran, most_ran) << static_cast<int>(kind);
        const auto part = static_cast<double>(ran) / static_cast<double>(most_ran);
        worst = {std::max(worst.part, part), std::max(worst.list_steps, list_steps() - list_)};
    }

    Worst worst = {};

  private:
    size_t list_steps() const {
        size_t all = 0;
        for (unsigned bin = 0; bin < heap_.bins; ++bin) {
            all += heap_.counts[bin];
        }
        return all;
    }

    const malloom_bins& heap_;
    size_t regions_;
    size_t list_ = 0;
};

struct StepCase {
    unsigned most_steps;
    unsigned levels;
    size_t regions;
    unsigned options;
};

/// The worst of a sequence, on a heap of its own.
Worst worst_of(const StepCase& tried, const Sequence& sequence, size_t region_bytes) {
    SmallHeap small(0, {.function = counted_function,
                        .options = bounded | MALLOOM_BINS_COUNT_STEPS | tried.options,
                        .most_steps = tried.most_steps,
                        .levels = tried.levels});
    // Aligned, so that what aligned requests find does not depend on where the process has its memory.
    struct alignas(4096) Page {
        char bytes[4096];
    };
    const size_t pages = region_bytes / sizeof(Page);
    std::vector<Page> memory(tried.regions * pages);
    for (size_t region = 0; region < tried.regions; ++region) {
        const auto level = static_cast<unsigned>(region % tried.levels);
        EXPECT_EQ(malloom_bins_add_region(&small.heap, &memory[region * pages], region_bytes, level),
                  MALLOOM_BINS_OK);
    }
    StepWatch watch(small.heap, tried.regions);
    Player(small.heap, {200, region_bytes * tried.regions, 5'000}, watch).play(sequence, 1);
    EXPECT_TRUE(small.is_whole());
    return watch.worst;
}

TEST(BoundedSteps, NoSequenceFoundTakesMore) {
    const std::vector kinds = {CallKind::alloc, CallKind::alloc,   CallKind::alloc,      CallKind::free,
                               CallKind::free,  CallKind::realloc, CallKind::free_later, CallKind::aligned};
    const StepCase cases[] = {
        {1, 1, 1, 0}, {3, 1, 1, 0}, {3, 3, 7, 0}, {20, 2, 4, MALLOOM_BINS_CHECKED_LINKS}};
    for (const StepCase& tried : cases) {
        Search search(tried.most_steps, 300, kinds);
        size_t most_list_steps = 0;
        const double part = search.run(search_rounds(150U), [&](const Sequence& sequence) {
            const Worst worst = worst_of(tried, sequence, 1 << 14);
            most_list_steps = std::max(most_list_steps, worst.list_steps);
            return worst.part;
        });
        EXPECT_GT(part, 0.3) << "the limit says something";
        EXPECT_GT(most_list_steps, 0u) << "lists are walked at all";
    }
}

/// Free chunks of one bin, kept apart: as many as wanted.
void fill_a_bin(SmallHeap& small, unsigned chunks) {
    std::vector<void*> objects;
    for (unsigned i = 0; i < chunks; ++i) {
        objects.push_back(malloom_bins_alloc(&small.heap, 2'600));
        ASSERT_NE(malloom_bins_alloc(&small.heap, 0), nullptr);
    }
    for (void* object : objects) {
        malloom_bins_free(&small.heap, object);
    }
}

TEST(BoundedSteps, StayTheSameHoweverManyChunksThereAre) {
    std::vector<size_t> took;
    for (const unsigned chunks : {10u, 100u, 1'000u}) {
        SmallHeap small(4 << 20, {.options = bounded | MALLOOM_BINS_COUNT_STEPS});
        fill_a_bin(small, chunks);
        StepWatch watch(small.heap, 1);
        for (const size_t bytes : {3'000u, 2'500u, 10'000u}) {
            watch.before();
            void* object = malloom_bins_alloc(&small.heap, bytes);
            watch.after(CallKind::alloc, 0);
            took.push_back(blocks);
            watch.before();
            malloom_bins_free(&small.heap, object);
            watch.after(CallKind::free, 0);
            took.push_back(blocks);
        }
        EXPECT_EQ(watch.worst.list_steps, 3u) << "3,000 bytes do not fit into any chunk of their bin";
    }
    EXPECT_GT(took[0], 10u);
    for (size_t call = 0; call < took.size(); ++call) {
        EXPECT_EQ(took[call], took[call % 6]) << call;
    }
}

TEST(BoundedSteps, OneObjectIsFreedLaterACall) {
    SmallHeap small(1 << 14, {.options = bounded});
    for (int i = 0; i < 20; ++i) {
        malloom_bins_free_later(&small.heap, malloom_bins_alloc(&small.heap, 0));
    }
    const size_t living = small.statistics().living_objects;
    EXPECT_NE(malloom_bins_alloc(&small.heap, 0), nullptr);
    EXPECT_EQ(small.statistics().living_objects, living);
}

TEST(BoundedSteps, AThoroughHeapHasNoBound) {
    std::vector<uint64_t> storage(MALLOOM_BINS_STORAGE(127, 1) / sizeof(uint64_t));
    malloom_bins_settings settings = {.options = bounded | MALLOOM_BINS_THOROUGH,
                                      .storage = storage.data(),
                                      .storage_bytes = storage.size() * sizeof(uint64_t)};
    malloom_bins heap;
    EXPECT_EQ(malloom_bins_open(&heap, &settings), MALLOOM_BINS_BAD_ARGUMENT);
    settings.options = MALLOOM_BINS_THOROUGH;
    EXPECT_EQ(malloom_bins_open(&heap, &settings), MALLOOM_BINS_OK);
}

// Sizes.

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
