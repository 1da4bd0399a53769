#include "runtime/heaps/fallback/object_marks.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <thread>
#include <vector>

namespace malloom::tests {
namespace {

using heaps::ObjectMarks;

constexpr uintptr_t base = uintptr_t{1} << 40;
constexpr size_t range = size_t{1} << 30;

const void* at(size_t offset) {
    return reinterpret_cast<const void*>(base + offset);
}

class Marks : public testing::Test {
  protected:
    void SetUp() override {
        ASSERT_TRUE(span.open(range));
        ASSERT_TRUE(marks.open(span, base, range));
    }
    void TearDown() override {
        marks.close();
        span.close();
    }

    platform::AddressSpan span;

    ObjectMarks marks;
};

TEST(ClosedMarks, CoverNothing) {
    ObjectMarks marks;
    EXPECT_FALSE(marks.is_open());
    EXPECT_FALSE(marks.covers(nullptr));
    EXPECT_FALSE(marks.end(at(0)));
}

TEST_F(Marks, TellObjectsFromWhatWasOneAndWhatNeverWas) {
    marks.begin(at(4096));
    EXPECT_TRUE(marks.is_object(at(4096)));
    EXPECT_TRUE(marks.end(at(4096)));
    EXPECT_FALSE(marks.is_object(at(4096)));
    EXPECT_TRUE(marks.was_object(at(4096)));
    EXPECT_FALSE(marks.end(at(4096)));
    EXPECT_FALSE(marks.was_object(at(4112)));
    marks.begin(at(4096));
    EXPECT_TRUE(marks.end(at(4096)));
}

#if defined(MALLOOM_CHECKED)
// A seeded fault, in the word that says where the range begins.
TEST_F(Marks, ARangeThatBeginsWithinAGranuleIsAFault) {
    EXPECT_TRUE(marks.is_valid());
    auto words = std::bit_cast<std::array<uintptr_t, sizeof marks / sizeof(uintptr_t)>>(marks);
    std::ranges::replace(words, base, base + 8);
    auto damaged = std::bit_cast<ObjectMarks>(words);
    EXPECT_DEATH(damaged.begin(at(4096)), "malloom: fault of malloom's own: object_marks.cpp:.*is_valid");
}
#endif

TEST_F(Marks, NeighboursDoNotTouch) {
    for (size_t i = 0; i < 1000; i += 2) {
        marks.begin(at(i * ObjectMarks::granule));
    }
    for (size_t i = 0; i < 1000; ++i) {
        EXPECT_EQ(marks.is_object(at(i * ObjectMarks::granule)), i % 2 == 0) << i;
        EXPECT_EQ(marks.end(at(i * ObjectMarks::granule)), i % 2 == 0) << i;
    }
}

TEST_F(Marks, AnObjectBeginsAtItsFirstByteAlone) {
    marks.begin(at(64));
    for (size_t i = 65; i < 80; ++i) {
        EXPECT_FALSE(marks.end(at(i)));
        EXPECT_FALSE(marks.is_object(at(i)));
    }
    EXPECT_TRUE(marks.end(at(64)));
}

TEST_F(Marks, FindAnObjectBetweenAddresses) {
    marks.begin(at(4096));
    EXPECT_TRUE(marks.have_object(at(0), at(8192)));
    EXPECT_TRUE(marks.have_object(at(4096), at(4096)));
    EXPECT_FALSE(marks.have_object(at(4097), at(8192)));
    EXPECT_FALSE(marks.have_object(at(0), at(4095)));
}

TEST_F(Marks, ReachTheWholeRangeAndNoFurther) {
    EXPECT_TRUE(marks.covers(at(range - 16)));
    EXPECT_FALSE(marks.covers(at(range)));
    EXPECT_FALSE(marks.covers(reinterpret_cast<const void*>(base - 16)));
    EXPECT_FALSE(marks.end(at(range - 16)));
    marks.begin(at(range - 16));
    EXPECT_TRUE(marks.end(at(range - 16)));
    marks.begin(at(range + (size_t{1} << 30)));
    EXPECT_FALSE(marks.end(at(range + (size_t{1} << 30))));
    EXPECT_TRUE(marks.are_whole());
}

TEST_F(Marks, OfThreadsThatEndAnObjectOneWins) {
    constexpr int objects = 20000;
    constexpr int threads_count = 4;
    for (int i = 0; i < objects; ++i) {
        marks.begin(at(i * 16));
    }
    std::atomic<int> wins = 0;
    std::vector<std::thread> threads;
    for (int number = 0; number < threads_count; ++number) {
        threads.emplace_back([&] {
            int mine = 0;
            for (int i = 0; i < objects; ++i) {
                mine += marks.end(at(i * 16)) ? 1 : 0;
            }
            wins += mine;
        });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    EXPECT_EQ(wins, objects);
}

TEST_F(Marks, ThreadsThatBeginBesideEachOtherLoseNothing) {
    constexpr size_t threads_count = 4;
    constexpr size_t rounds = 20000;
    std::vector<std::thread> threads;
    for (size_t number = 0; number < threads_count; ++number) {
        threads.emplace_back([this, number] {
            for (size_t i = 0; i < rounds; ++i) {
                // Far on now and then, so that the table grows while others use it.
                const void* object = at(i % 100 == 0 ? i * 40000 + number * 16 : number * 16);
                marks.begin(object);
                EXPECT_TRUE(marks.end(object));
            }
        });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
TEST_F(Marks, WithoutMemoryTheyAreNotWhole) {
    marks.begin(at(0));
    rlimit before = {};
    ASSERT_EQ(getrlimit(RLIMIT_DATA, &before), 0);
    // Linux takes 0 for no limit.
    const rlimit little = {4096, before.rlim_max};
    ASSERT_EQ(setrlimit(RLIMIT_DATA, &little), 0);
    marks.begin(at(range / 2));
    ASSERT_EQ(setrlimit(RLIMIT_DATA, &before), 0);
    EXPECT_FALSE(marks.are_whole());
    EXPECT_FALSE(marks.end(at(range / 2)));
    EXPECT_TRUE(marks.end(at(0)));
}
#endif

}  // namespace
}  // namespace malloom::tests
