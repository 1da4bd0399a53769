// The steps of docs/guide/bounded-heap.md under sequences made to break them: by hand, and by search.
#include <gtest/gtest.h>

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

constexpr auto bounded = static_cast<unsigned>(MALLOOM_BINS_BOUNDED);

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

}  // namespace
}  // namespace malloom::tests
