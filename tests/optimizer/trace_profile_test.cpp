#include "optimizer/trace_profile.h"

#include <gtest/gtest.h>

#include <memory>
#include <vector>

namespace malloom::optimizer {
namespace {

// Does in C++ what the instrumentation does in the code cache.
struct Recording {
    std::unique_ptr<TraceProfile> profile = std::make_unique<TraceProfile>();

    EntryCounter counter;

    explicit Recording(size_t entries) : counter{entries, profile.get()} { profile->begin(1); }

    void enter(uintptr_t stack, uintptr_t reference) {
        const size_t row = static_cast<uint8_t>(--counter.countdown);
        profile->stacks[row] = stack;
        profile->references[0][row] = reference;
    }

    std::vector<uintptr_t> gathered(size_t entries) const {
        LoadReferences references;
        ThreadRows(*profile, entries).gather(0, references);
        return {references.addresses, references.addresses + references.count};
    }
};

TEST(TraceProfile, GivesReferencesInTheOrderOfTime) {
    Recording recording(3);
    for (const uintptr_t reference : {100, 200, 300}) recording.enter(1 << 24, reference);
    EXPECT_EQ(recording.gathered(3), (std::vector<uintptr_t>{100, 200, 300}));
}

TEST(TraceProfile, HoldsAsManyEntriesAsItHasRows) {
    Recording recording(TraceProfile::rows);
    for (uintptr_t i = 0; i < TraceProfile::rows; ++i) recording.enter(1 << 24, i + 1);
    EXPECT_EQ(recording.gathered(TraceProfile::rows).size(), TraceProfile::rows);
    EXPECT_EQ(recording.gathered(TraceProfile::rows).front(), 1u);
}

TEST(TraceProfile, LeavesOutEntriesThatDidNotReachTheLoad) {
    Recording recording(3);
    recording.enter(1 << 24, 100);
    recording.enter(1 << 24, 0);
    recording.enter(1 << 24, 300);
    EXPECT_EQ(ThreadRows(*recording.profile, 3).count(), 3u);
    EXPECT_EQ(recording.gathered(3), (std::vector<uintptr_t>{100, 300}));
}

TEST(TraceProfile, KeepsTheThreadThatEnteredLast) {
    Recording recording(6);
    const uintptr_t one = 0x7f0000100000, other = 0x7f0000900000;
    for (uintptr_t i = 0; i < 3; ++i) {
        recording.enter(other, 5000 - i);
        recording.enter(one - i * 96, 100 + i);
    }
    EXPECT_EQ(recording.gathered(6), (std::vector<uintptr_t>{100, 101, 102}));
}

TEST(TraceProfile, IsEmptyAtFirstAndWhenBegunAgain) {
    Recording recording(4);
    EXPECT_EQ(ThreadRows(*recording.profile, 4).count(), 0u);
    for (int i = 0; i < 4; ++i) recording.enter(1 << 24, 7);
    recording.profile->begin(1);
    EXPECT_EQ(ThreadRows(*recording.profile, 4).count(), 0u);
}

}  // namespace
}  // namespace malloom::optimizer
