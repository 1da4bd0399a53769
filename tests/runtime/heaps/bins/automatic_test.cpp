// Bins that are laid out anew without a call, where it pays.
#include <gtest/gtest.h>

#include <bit>
#include <random>
#include <vector>

#include "runtime/codegen/bins/table_functions.h"
#include "tests/runtime/heaps/bins/code_pages.h"
#include "tests/runtime/heaps/bins/small_heap.h"

namespace malloom::tests {
namespace {

struct Sizes {
    size_t least, range, unit = 1;
};
constexpr Sizes narrow = {2'600, 300}, others = {5'000, 400};  // in one bin each of dlmalloc's
constexpr Sizes five = {6'000, 30'000, 6'000};

/// Objects of random sizes, of which one gives way to another in each round.
class Program {
  public:
    Program(malloom_bins& heap, size_t living) : heap_(heap), objects_(living) {}

    void run(int rounds, Sizes sizes) {
        for (int round = 0; round < rounds; ++round) {
            void*& object = objects_[random_() % objects_.size()];
            EXPECT_EQ(malloom_bins_free(&heap_, object), MALLOOM_BINS_OK);
            object =
                malloom_bins_alloc(&heap_, sizes.least + random_() % sizes.range / sizes.unit * sizes.unit);
            ASSERT_NE(object, nullptr);
        }
    }
    const std::vector<void*>& objects() const { return objects_; }

  private:
    malloom_bins& heap_;
    std::vector<void*> objects_;
    std::mt19937 random_{1};
};

/// dlmalloc's bins, searched in a table.
malloom_bins_settings searched() {
    static const auto begins = [] {
        std::array<uint32_t, MALLOOM_BINS_ORIGINAL_COUNT> made;
        codegen::bins::original_begins(made.data());
        return made;
    }();
    return {.begins = begins.data()};
}

/// A heap with a program in it, and memory for what it has to remember.
struct Used {
    explicit Used(size_t living = 2'000, malloom_bins_settings settings = searched())
        : small(16 << 20, settings), program(small.heap, living) {}

    malloom_bins_automatic_settings settings() {
        return {.ranges = MALLOOM_BINS_BY_COST,
                .code = &pages.code,
                .storage = storage.data(),
                .storage_bytes = sizeof storage};
    }
    malloom_bins_result switch_on() {
        const malloom_bins_automatic_settings chosen = settings();
        return malloom_bins_rehash_automatically(&small.heap, &chosen);
    }
    const malloom_bins_automatic& state() const { return *small.heap.automatic; }
    bool is_off() const { return state().phase == MALLOOM_BINS_OFF; }
    bool counts() const { return (small.heap.options & ~unsigned{MALLOOM_BINS_CHECKED_LINKS}) != 0; }

    /// Until another phase begins.
    void run_phase(Sizes sizes) {
        const malloom_bins_phase phase = state().phase;
        for (int round = 0; round < 1'000'000 && state().phase == phase; ++round) {
            program.run(1, sizes);
        }
    }
    void run_to(malloom_bins_phase phase, Sizes sizes) {
        for (int phases = 0; phases < 100 && state().phase != phase && !is_off(); ++phases) {
            run_phase(sizes);
        }
        EXPECT_EQ(state().phase, phase);
    }
    double steps_per_round(Sizes sizes) {
        constexpr int rounds = 2'000;
        EXPECT_EQ(malloom_bins_count(&small.heap, MALLOOM_BINS_COUNT_STEPS), MALLOOM_BINS_OK);
        program.run(rounds, sizes);
        double steps = 0;
        for (unsigned bin = 0; bin < small.heap.bins; ++bin) {
            steps += small.heap.counts[bin];
        }
        EXPECT_EQ(malloom_bins_count(&small.heap, 0), MALLOOM_BINS_OK);
        return steps / rounds;
    }

    SmallHeap small;
    Program program;
    CodePages pages;
    std::array<uint64_t, MALLOOM_BINS_AUTOMATIC_STORAGE(127) / 8 + 1> storage;
};

std::vector<uint32_t> begins_of(const malloom_bins& heap) {
    return {heap.begins, heap.begins + heap.bins};
}

/// Whether all was done that there was to do; what the lists still have of the steps that they had.
void expect_short_lists(Used& used, Used& untouched, Sizes sizes) {
    ASSERT_EQ(used.switch_on(), MALLOOM_BINS_OK);
    used.program.run(20'000, sizes);
    untouched.program.run(20'000, sizes);
    EXPECT_GE(used.state().rehashes, 1u);
    EXPECT_TRUE(used.small.is_whole());
    ASSERT_EQ(malloom_bins_rehash_automatically(&used.small.heap, nullptr), MALLOOM_BINS_OK);
    const double before = untouched.steps_per_round(sizes), after = used.steps_per_round(sizes);
    EXPECT_GT(before, 3);
    EXPECT_LT(after, before / 4);
}

TEST(AutomaticRehash, ListsOfNarrowSizesBecomeShort) {
    Used used, untouched;
    expect_short_lists(used, untouched, narrow);
    EXPECT_NE(used.small.heap.function, &malloom_bins_variable);
}

// The compiled-in function is so quick that lists have to be long before another one pays.
TEST(AutomaticRehash, BetterRangesThanTheOriginals) {
    Used used(500, malloom_bins_settings{}), untouched(500, malloom_bins_settings{});
    expect_short_lists(used, untouched, five);
    EXPECT_NE(used.small.heap.function, &malloom_bins_original);
}

TEST(AutomaticRehash, GoesByWhatIsChosen) {
    for (const unsigned counts :
         {MALLOOM_BINS_COUNT_INSERTIONS, MALLOOM_BINS_COUNT_EXTRACTIONS, MALLOOM_BINS_COUNT_STEPS}) {
        for (const auto ranges : {MALLOOM_BINS_LINEAR, MALLOOM_BINS_BY_COST}) {
            Used used;
            malloom_bins_automatic_settings settings = used.settings();
            settings.counts = counts;
            settings.ranges = ranges;
            settings.bins = 40;
            ASSERT_EQ(malloom_bins_rehash_automatically(&used.small.heap, &settings), MALLOOM_BINS_OK);
            used.run_to(MALLOOM_BINS_GATHERS, narrow);
            EXPECT_EQ(used.small.heap.options, 128 | counts) << "what is chosen, and the heap's own bit";
            used.run_phase(narrow);
            EXPECT_EQ(used.state().phase, MALLOOM_BINS_JUDGES);
            EXPECT_LE(used.small.heap.bins, 40);
            EXPECT_GT(used.small.heap.bins, 8);
            used.run_phase(narrow);
            EXPECT_TRUE(used.small.is_whole());
        }
    }
}

// There is nothing to gain: few objects, hardly two of them in a bin.
TEST(AutomaticRehash, EndsWhereListsAreShort) {
    Used used(10, malloom_bins_settings{});
    ASSERT_EQ(used.switch_on(), MALLOOM_BINS_OK);
    EXPECT_TRUE(used.counts());
    used.program.run(512 * 8, {16, 2'000});
    EXPECT_TRUE(used.is_off());
    EXPECT_FALSE(used.counts()) << "no cost is left";
    EXPECT_EQ(used.state().rehashes, 0u);
    EXPECT_EQ(used.small.heap.function, &malloom_bins_original);
}

// dlmalloc's function is compiled into the calls while nothing is counted.
TEST(AutomaticRehash, CountsNothingWhereListsAreShort) {
    Used used(10, malloom_bins_settings{});
    ASSERT_EQ(used.switch_on(), MALLOOM_BINS_OK);
    for (int round = 0; round < 512 * 8 && !used.is_off(); ++round) {
        ASSERT_TRUE(used.state().phase == MALLOOM_BINS_GLANCES || used.state().phase == MALLOOM_BINS_SLEEPS);
        ASSERT_EQ(used.small.heap.options, 128) << "the heap's own bit";
        used.program.run(1, {16, 2'000});
    }
    EXPECT_TRUE(used.is_off());
    EXPECT_EQ(used.state().vain_looks, 3u);
}

TEST(AutomaticRehash, MakesWayForOtherCounters) {
    Used used(10, malloom_bins_settings{});
    ASSERT_EQ(used.switch_on(), MALLOOM_BINS_OK);
    EXPECT_EQ(malloom_bins_count_one_in(&used.small.heap, 16), MALLOOM_BINS_BAD_ARGUMENT);
    used.program.run(512 * 8, {16, 2'000});
    ASSERT_TRUE(used.is_off());
    EXPECT_EQ(malloom_bins_count_one_in(&used.small.heap, 16), MALLOOM_BINS_OK);
    EXPECT_EQ(malloom_bins_rehash_automatically(&used.small.heap, nullptr), MALLOOM_BINS_OK);
    EXPECT_EQ(used.small.heap.sampled, 4) << "it had ended before";
    ASSERT_EQ(used.switch_on(), MALLOOM_BINS_OK);
    EXPECT_EQ(used.small.heap.sampled, 0);
    used.program.run(512 * 8, {16, 2'000});
    EXPECT_TRUE(used.is_off());
}

TEST(AutomaticRehash, EndsWhereSearchesWouldCostMoreThanLists) {
    Used used(2'000, malloom_bins_settings{}), untouched;
    malloom_bins_automatic_settings settings = used.settings();
    settings.code = nullptr;
    ASSERT_EQ(malloom_bins_rehash_automatically(&used.small.heap, &settings), MALLOOM_BINS_OK);
    used.program.run(10'000, others);
    EXPECT_TRUE(used.is_off());
    EXPECT_EQ(used.state().rehashes, 0u);
    EXPECT_EQ(used.small.heap.function, &malloom_bins_original);
    untouched.program.run(10'000, others);
    EXPECT_GT(untouched.steps_per_round(others), 3);
}

// The program does something else as soon as its bins are laid out for what it did.
TEST(AutomaticRehash, TakesBackWhatDoesNotPay) {
    Used used(500, {.options = MALLOOM_BINS_CHECKED_LINKS});
    const std::vector<uint32_t> begins = begins_of(used.small.heap);
    malloom_bins_automatic_settings settings = used.settings();
    settings.ranges = MALLOOM_BINS_LINEAR;
    settings.counts = MALLOOM_BINS_COUNT_INSERTIONS;
    ASSERT_EQ(malloom_bins_rehash_automatically(&used.small.heap, &settings), MALLOOM_BINS_OK);
    used.run_to(MALLOOM_BINS_JUDGES, five);
    EXPECT_NE(begins_of(used.small.heap), begins);
    used.run_phase({300, 2'000});
    EXPECT_TRUE(used.is_off());
    EXPECT_TRUE(used.state().was_restored);
    EXPECT_EQ(begins_of(used.small.heap), begins);
    EXPECT_EQ(used.small.heap.function, &malloom_bins_original);
    EXPECT_FALSE(used.counts());
    EXPECT_TRUE(used.small.is_whole());
    used.program.run(1'000, five);
    EXPECT_EQ(used.state().rehashes, 1u);
}

// The function from before is still where it was.
TEST(AutomaticRehash, TakesBackToWhatWasMadeBefore) {
    for (const bool has_code : {true, false}) {
        Used used;
        malloom_bins_automatic_settings settings = used.settings();
        settings.code = has_code ? settings.code : nullptr;
        ASSERT_EQ(malloom_bins_rehash_automatically(&used.small.heap, &settings), MALLOOM_BINS_OK);
        used.run_to(MALLOOM_BINS_JUDGES, narrow);
        used.run_phase(narrow);
        ASSERT_EQ(used.state().phase, MALLOOM_BINS_SLEEPS) << "it has paid";
        const std::vector<uint32_t> begins = begins_of(used.small.heap);
        const malloom_bin_function function = used.small.heap.function;
        EXPECT_EQ(function == malloom_bins_variable, !has_code);
        used.run_to(MALLOOM_BINS_JUDGES, others);
        EXPECT_NE(begins_of(used.small.heap), begins);
        EXPECT_EQ(used.small.heap.function != function, has_code);
        used.small.heap.counts[3] = 1'000'000;  // as if lists had become long
        used.run_phase(narrow);
        EXPECT_TRUE(used.state().was_restored);
        EXPECT_EQ(begins_of(used.small.heap), begins);
        EXPECT_EQ(used.small.heap.function, function);
        used.program.run(1'000, narrow);
        EXPECT_TRUE(used.small.is_whole());
    }
}

// After each rehash that has paid the program uses other sizes.
TEST(AutomaticRehash, ComesAtGrowingDistances) {
    Used used;
    ASSERT_EQ(used.switch_on(), MALLOOM_BINS_OK);
    std::vector<uint32_t> at;
    for (unsigned turn = 0; turn < 6 && !used.is_off(); ++turn) {
        const Sizes sizes = turn % 2 == 0 ? narrow : others;
        used.run_to(MALLOOM_BINS_JUDGES, sizes);
        at.push_back(used.state().frees);
        used.run_phase(sizes);
    }
    ASSERT_GE(used.state().rehashes, 3u);
    for (size_t i = 1; i < at.size(); ++i) {
        EXPECT_GE(at[i], 2 * at[i - 1]);
    }
    EXPECT_LE(used.state().rehashes, static_cast<unsigned>(std::bit_width(used.state().frees / 512)));
}

// It takes longer than the program: rounds are the clock's ticks.
TEST(AutomaticRehash, WaitsByTheClock) {
    Used used;
    uint32_t ticks = UINT32_MAX - 100;
    malloom_bins_automatic_settings settings = used.settings();
    malloom_bins_code code = used.pages.code;
    settings.code = &code;
    settings.context = &ticks;
    settings.clock = [](void* context) { return *static_cast<uint32_t*>(context); };
    static uint32_t* running;
    running = &ticks;
    code.wait_for_others = [](void*) { *running += 1'000; };
    ASSERT_EQ(malloom_bins_rehash_automatically(&used.small.heap, &settings), MALLOOM_BINS_OK);
    while (used.state().rehashes < 2 && !used.is_off()) {
        const bool is_first = used.state().rehashes == 0 || used.state().phase == MALLOOM_BINS_JUDGES;
        const Sizes sizes = is_first ? narrow : others;
        const uint32_t before = used.state().rehashes == 1 ? used.state().rehash_time : ticks;
        used.program.run(1, sizes);
        ++ticks;
        if (used.state().rehashes == 2) {
            EXPECT_GE(used.state().rehash_time - before, 32'000u);
        }
    }
    EXPECT_EQ(used.state().rehash_ticks, 1'000u);
    EXPECT_EQ(used.state().rehashes, 2u);
}

// Sorted bins find the best fit however they are laid out.
TEST(AutomaticRehash, ObjectsLieWhereTheyWould) {
    Used used, untouched;
    ASSERT_EQ(used.switch_on(), MALLOOM_BINS_OK);
    const auto places = [](Used& heap) {
        std::vector<ptrdiff_t> found;
        for (void* object : heap.program.objects()) {
            found.push_back(object == nullptr
                                ? -1
                                : static_cast<char*>(object) - static_cast<char*>(heap.small.region()));
        }
        return found;
    };
    for (const Sizes sizes : {narrow, Sizes{16, 500}, Sizes{1'000, 6'000}}) {
        used.program.run(5'000, sizes);
        untouched.program.run(5'000, sizes);
        EXPECT_EQ(places(used), places(untouched));
    }
    EXPECT_GE(used.state().rehashes, 1u);
}

TEST(AutomaticRehash, IsSwitchedOffAndOn) {
    Used used;
    EXPECT_EQ(malloom_bins_rehash_automatically(&used.small.heap, nullptr), MALLOOM_BINS_OK);
    ASSERT_EQ(used.switch_on(), MALLOOM_BINS_OK);
    EXPECT_EQ(malloom_bins_count(&used.small.heap, 0), MALLOOM_BINS_BAD_ARGUMENT) << "it counts for itself";
    used.run_to(MALLOOM_BINS_JUDGES, narrow);
    const std::vector<uint32_t> begins = begins_of(used.small.heap);
    EXPECT_EQ(malloom_bins_rehash_automatically(&used.small.heap, nullptr), MALLOOM_BINS_OK);
    EXPECT_FALSE(used.counts());
    EXPECT_EQ(begins_of(used.small.heap), begins);
    ASSERT_EQ(used.switch_on(), MALLOOM_BINS_OK);
    EXPECT_EQ(used.state().rehashes, 0u);
    used.program.run(20'000, others);
    EXPECT_GE(used.state().rehashes, 1u);
    EXPECT_TRUE(used.small.is_whole());
}

// What it would go back to is no more.
TEST(AutomaticRehash, GoesOnFromOneThatIsCalled) {
    Used used;
    ASSERT_EQ(used.switch_on(), MALLOOM_BINS_OK);
    used.run_to(MALLOOM_BINS_JUDGES, narrow);
    EXPECT_EQ(malloom_bins_rehash(&used.small.heap, MALLOOM_BINS_LINEAR, &used.pages.code), MALLOOM_BINS_OK);
    EXPECT_EQ(used.state().phase, MALLOOM_BINS_SLEEPS);
    used.program.run(20'000, {600, 10'000});
    EXPECT_TRUE(used.small.is_whole());
}

TEST(AutomaticRehash, LeavesWhatItCannotDo) {
    Used used;
    alignas(8) unsigned char little[64];
    const malloom_bins_code code = {little, sizeof little, 0, nullptr, nullptr, nullptr, nullptr};
    malloom_bins_automatic_settings settings = used.settings();
    settings.code = &code;
    ASSERT_EQ(malloom_bins_rehash_automatically(&used.small.heap, &settings), MALLOOM_BINS_OK);
    const std::vector<uint32_t> begins = begins_of(used.small.heap);
    used.program.run(5'000, narrow);
    EXPECT_EQ(used.small.noticed.failures, std::vector{MALLOOM_BINS_TOO_SMALL});
    EXPECT_TRUE(used.is_off());
    EXPECT_EQ(begins_of(used.small.heap), begins);
    EXPECT_EQ(used.small.heap.function, &malloom_bins_variable);
    EXPECT_TRUE(used.small.is_whole());
}

TEST(AutomaticRehash, IsRefused) {
    Used used;
    const auto said = [&used](auto change) {
        malloom_bins_automatic_settings settings = used.settings();
        change(settings);
        return malloom_bins_rehash_automatically(&used.small.heap, &settings);
    };
    using Settings = malloom_bins_automatic_settings;
    EXPECT_EQ(said([](Settings& s) { s.ranges = MALLOOM_BINS_AS_THEY_ARE; }), MALLOOM_BINS_BAD_ARGUMENT);
    EXPECT_EQ(said([](Settings& s) { s.counts = MALLOOM_BINS_BOUNDED; }), MALLOOM_BINS_BAD_ARGUMENT);
    EXPECT_EQ(said([](Settings& s) { s.window = UINT32_MAX; }), MALLOOM_BINS_BAD_ARGUMENT);
    EXPECT_EQ(said([](Settings& s) { s.storage = nullptr; }), MALLOOM_BINS_BAD_ARGUMENT);
    EXPECT_EQ(said([](Settings& s) { s.storage = static_cast<char*>(s.storage) + 1; }),
              MALLOOM_BINS_BAD_ARGUMENT);
    EXPECT_EQ(said([](Settings& s) { s.storage_bytes = MALLOOM_BINS_AUTOMATIC_STORAGE(127) - 1; }),
              MALLOOM_BINS_TOO_SMALL);
    EXPECT_EQ(said([](Settings& s) { s.bins = 128; }), MALLOOM_BINS_TOO_SMALL);
    EXPECT_FALSE(used.counts());

    Used bounded(1, {.options = MALLOOM_BINS_BOUNDED});
    EXPECT_EQ(bounded.switch_on(), MALLOOM_BINS_BAD_ARGUMENT);
    std::vector<uint64_t> storage(MALLOOM_BINS_LISTS(127, 1) / sizeof(uint64_t));
    const malloom_bins_settings open = {.storage = storage.data(), .storage_bytes = storage.size() * 8};
    malloom_bins heap;
    ASSERT_EQ(malloom_bins_open(&heap, &open), MALLOOM_BINS_OK);
    const Settings settings = used.settings();
    EXPECT_EQ(malloom_bins_rehash_automatically(&heap, &settings), MALLOOM_BINS_BAD_ARGUMENT) << "no table";
    EXPECT_EQ(malloom_bins_count(&heap, MALLOOM_BINS_COUNT_STEPS), MALLOOM_BINS_BAD_ARGUMENT);
}

// Somebody writes into an object that was freed: its links are not followed.
TEST(AutomaticRehash, EndsWhereLinksAreDamaged) {
    malloom_bins_settings open = searched();
    open.options = MALLOOM_BINS_CHECKED_LINKS;
    Used used(2'000, open);
    ASSERT_EQ(used.switch_on(), MALLOOM_BINS_OK);
    std::vector<void*> objects;
    for (int i = 0; i < 2; ++i) {
        objects.push_back(malloom_bins_alloc(&used.small.heap, 100'000));
    }
    used.run_to(MALLOOM_BINS_GATHERS, narrow);
    while (used.small.heap.releases_left > 2) {
        used.program.run(1, narrow);
    }
    EXPECT_EQ(malloom_bins_free(&used.small.heap, objects[0]), MALLOOM_BINS_OK);
    auto* links = static_cast<uintptr_t*>(objects[0]);
    const uintptr_t next = links[0];
    links[0] = 0x4140;
    EXPECT_EQ(malloom_bins_free(&used.small.heap, used.program.objects()[0]), MALLOOM_BINS_OK);
    EXPECT_TRUE(used.is_off());
    EXPECT_EQ(malloom_bins_rehash(&used.small.heap, MALLOOM_BINS_LINEAR, nullptr), MALLOOM_BINS_DAMAGED);
    EXPECT_EQ(used.small.noticed.failures, (std::vector{MALLOOM_BINS_DAMAGED, MALLOOM_BINS_DAMAGED}));
    links[0] = next;
    EXPECT_TRUE(used.small.is_whole()) << "nothing else has changed";
}

}  // namespace
}  // namespace malloom::tests
