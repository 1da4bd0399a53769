// Occupancy against a plain array of owners, at the edges of words, and from threads and signal handlers that
// live next to each other.
#include "runtime/structures/occupancy.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/time.h>

#include <atomic>
#include <map>
#include <random>
#include <thread>
#include <vector>

#include "runtime/structures/alone.h"
#include "tests/amount.h"

namespace malloom::tests {
namespace {

using structures::alone;
using structures::granule_bytes;
using structures::Occupancy;

class OccupancyTest : public testing::Test {
  protected:
    void SetUp() override { ASSERT_TRUE(occupancy.open(granules * granule_bytes)); }
    void TearDown() override { occupancy.close(); }

    bool claim(uint64_t first, uint64_t count) { return occupancy.claim(alone(), first, count - 1); }
    void release(uint64_t first) {
        void* object = occupancy.address(first);
        if (!occupancy.release_small(alone(), object) && !occupancy.release_in_two_words(object)) {
            occupancy.release(object, occupancy.extent(object));
        }
    }

    static constexpr uint64_t granules = 4096;
    Occupancy occupancy;
};

TEST_F(OccupancyTest, EveryPlaceAndSizeComesAndGoesBetweenNeighbours) {
    for (uint64_t first = 64; first < 64 + 33; ++first) {
        for (uint64_t count = 1; count < 140; ++count) {
            ASSERT_TRUE(claim(first - 1, 1));
            ASSERT_TRUE(claim(first + count, 3));
            ASSERT_TRUE(claim(first, count));
            EXPECT_EQ(occupancy.extent(occupancy.address(first)), count);
            EXPECT_EQ(occupancy.extent(occupancy.address(first - 1)), 1u);
            EXPECT_EQ(occupancy.count_occupied(0, granules), count + 4);
            EXPECT_FALSE(claim(first, 1));
            EXPECT_FALSE(claim(first + count - 1, 1));
            EXPECT_FALSE(claim(first - 1, count + 2));
            release(first);
            EXPECT_EQ(occupancy.count_occupied(0, granules), 4u);
            EXPECT_EQ(occupancy.extent(occupancy.address(first + count)), 3u);
            release(first - 1);
            release(first + count);
        }
    }
    EXPECT_EQ(occupancy.count_occupied(0, granules), 0u);
}

TEST_F(OccupancyTest, NothingOutsideTheRangeIsClaimed) {
    EXPECT_TRUE(claim(granules - 2, 2));
    EXPECT_FALSE(claim(granules, 1));
    EXPECT_FALSE(claim(granules - 40, 80));
    EXPECT_FALSE(claim(10, uint64_t{1} << 60));
    EXPECT_FALSE(occupancy.claim_small(true, granules, 0));
    EXPECT_FALSE(occupancy.claim_small(true, 0xffffffff, 0xffffffff));
    EXPECT_EQ(occupancy.count_occupied(0, granules), 2u);
}

TEST_F(OccupancyTest, AgreesWithAnArrayOfOwners) {
    std::mt19937 random(3);
    std::vector<uint64_t> owner(granules);
    std::map<uint64_t, uint64_t> objects;
    for (int step = 0; step < amount(200000); ++step) {
        const uint64_t first = random() % granules;
        const uint64_t count = 1 + random() % (step % 10 == 0 ? 300 : 20);
        const auto is_free = [&](uint64_t from, uint64_t past) {
            return past <= granules && std::all_of(owner.begin() + static_cast<long>(from),
                                                   owner.begin() + static_cast<long>(past),
                                                   [](uint64_t number) { return number == 0; });
        };
        const auto paint = [&](uint64_t from, uint64_t past, uint64_t number) {
            std::fill(owner.begin() + static_cast<long>(from), owner.begin() + static_cast<long>(past),
                      number);
        };
        auto found = objects.lower_bound(first);
        if (step % 2 == 0) {
            ASSERT_EQ(claim(first, count), is_free(first, first + count));
            if (is_free(first, first + count)) {
                paint(first, first + count, first + 1);
                objects[first] = count;
            }
        } else if (found != objects.end() && step % 3 == 0) {
            const auto [start, had] = *found;
            const bool fits = count <= had || is_free(start + had, start + count);
            ASSERT_EQ(occupancy.resize(occupancy.address(start), count), fits);
            if (fits) {
                paint(start, start + had, 0);
                paint(start, start + count, start + 1);
                found->second = count;
            }
        } else if (found != objects.end()) {
            ASSERT_EQ(occupancy.extent(occupancy.address(found->first)), found->second);
            release(found->first);
            paint(found->first, found->first + found->second, 0);
            objects.erase(found);
        }
    }
}

TEST_F(OccupancyTest, PointersThatAreNoObjectsEndTheProgram) {
    ASSERT_TRUE(claim(30, 5));
    EXPECT_DEATH(occupancy.extent(occupancy.address(31)), "invalid pointer");
    EXPECT_DEATH(occupancy.extent(occupancy.address(29)), "double free");
    EXPECT_DEATH(occupancy.extent(static_cast<char*>(occupancy.address(30)) + 8), "invalid pointer");
    EXPECT_FALSE(occupancy.release_small(true, occupancy.address(31)));
    EXPECT_FALSE(occupancy.release_small(true, static_cast<char*>(occupancy.address(30)) + 8));
    EXPECT_FALSE(occupancy.release_small(true, occupancy.address(29)));
    EXPECT_FALSE(occupancy.release_small(true, occupancy.address(granules)));
    EXPECT_FALSE(occupancy.release_small(true, nullptr));
    EXPECT_FALSE(occupancy.release_in_two_words(occupancy.address(31)));
}

// Each asks for places that overlap those of its neighbours, at the edges of the same words: what it gets is
// its alone, and has its extent whatever they do meanwhile.
void live_next_to_others(Occupancy& occupancy, std::vector<std::atomic<int>>& owners, int name, int steps) {
    std::mt19937 random(static_cast<unsigned>(name));
    for (int step = 0; step < steps; ++step) {
        const uint64_t first = random() % 200;
        const uint64_t count = 1 + random() % (step % 8 == 0 ? 90 : 12);
        if (!occupancy.claim(alone(), first, count - 1)) {
            continue;
        }
        for (uint64_t i = first; i < first + count; ++i) {
            ASSERT_EQ(owners[i].exchange(name), 0);
        }
        ASSERT_EQ(occupancy.extent(occupancy.address(first)), count);
        for (uint64_t i = first; i < first + count; ++i) {
            ASSERT_EQ(owners[i].exchange(0), name);
        }
        void* object = occupancy.address(first);
        if (!occupancy.release_small(alone(), object) && !occupancy.release_in_two_words(object)) {
            occupancy.release(object, count);
        }
    }
}

TEST_F(OccupancyTest, ThreadsShareWords) {
    std::vector<std::atomic<int>> owners(granules);
    std::vector<std::thread> threads;
    for (int name = 1; name <= 4; ++name) {
        threads.emplace_back([&, name] { live_next_to_others(occupancy, owners, name, 50000); });
    }
    for (auto& thread : threads) {
        thread.join();
    }
    EXPECT_EQ(occupancy.count_occupied(0, granules), 0u);
}

// Two words: one owner's object goes over their border, the other's ends there.
TEST_F(OccupancyTest, AnObjectIsNotLengthenedByTheRestOfTheOneBefore) {
    std::atomic<bool> is_over{false};
    std::thread other([&] {
        while (!is_over) {
            if (occupancy.claim(alone(), 24, 19)) {
                release(24);
            }
        }
    });
    uint64_t got = 0;
    for (int step = 0; step < amount(3000000) || (got < 1000 && step < 100000000); ++step) {
        if (occupancy.claim(alone(), 28, 3)) {
            ASSERT_EQ(occupancy.extent(occupancy.address(28)), 4u);
            release(28);
            ++got;
        }
    }
    is_over = true;
    other.join();
    EXPECT_GE(got, 1000u);
}

Occupancy* of_handler = nullptr;
std::vector<std::atomic<int>>* owners_of_handler = nullptr;
volatile sig_atomic_t handled = 0;
void on_signal(int) {
    live_next_to_others(*of_handler, *owners_of_handler, 2, 20);
    handled = handled + 1;
}

TEST_F(OccupancyTest, SignalHandlersShareWords) {
    std::vector<std::atomic<int>> owners(granules);
    of_handler = &occupancy;
    owners_of_handler = &owners;
    signal(SIGALRM, on_signal);
    const itimerval every = {{0, 100}, {0, 100}};
    setitimer(ITIMER_REAL, &every, nullptr);
    while (handled < amount(200)) {
        live_next_to_others(occupancy, owners, 1, 1000);
    }
    const itimerval never = {};
    setitimer(ITIMER_REAL, &never, nullptr);
    signal(SIGALRM, SIG_DFL);
    EXPECT_EQ(occupancy.count_occupied(0, granules), 0u);
}

}  // namespace
}  // namespace malloom::tests
