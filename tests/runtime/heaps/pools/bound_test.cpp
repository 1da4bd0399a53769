// What pools keep resident, against what lives in them: the bound of pool_heap.h, checked in random
// programs.
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <vector>

#include "runtime/platform/memory.h"
#include "tests/amount.h"
#include "tests/runtime/heaps/pools/pools_here.h"

namespace malloom::tests {
namespace {

using heaps::Pool;

/// Call sites that have many objects in turn, and keep one in a hundred of these or none.
class InTurn : public testing::TestWithParam<bool> {
  protected:
    void have_turns(unsigned rounds, size_t bytes) {
        std::vector<uint32_t> clients(40);
        std::ranges::generate(clients, [&] { return pools_.heap.add(bytes); });
        for (unsigned round = 0; round < rounds; ++round) {
            for (const uint32_t client : clients) {
                have_turn(client, bytes);
            }
        }
    }
    size_t most_idle() { return pools_.heap.arena().most_idle(); }

    PoolsHere pools_{size_t{1} << 30};

  private:
    void have_turn(uint32_t client, size_t bytes) {
        std::vector<char*> objects(objects_of_turn / bytes);
        for (char*& object : objects) {
            object = pools_.allocate(client);
            std::fill_n(object, bytes, 'x');
        }
        for (size_t i = GetParam() ? 1 : 0; i < objects.size(); ++i) {
            pools_.deallocate(objects[i]);
        }
        EXPECT_LE(pools_.heap.arena().idle_bytes(), most_idle());
    }
    static constexpr size_t objects_of_turn = 200'000;  ///< bytes
};

TEST_P(InTurn, PagesThatAreNeededAgainStay) {
    have_turns(1, 496);
    const size_t before = most_idle();
    have_turns(20, 496);
    EXPECT_GT(most_idle(), before);
    EXPECT_LE(most_idle(), size_t{10} << 20);
}

TEST_P(InTurn, WhereAllPagesAreNewNoneMoreStay) {
    const size_t before = most_idle();
    const size_t apart = does_all() ? 16 : 96;
    for (size_t bytes = 16; bytes < 1000; bytes += apart) {
        have_turns(1, bytes);
    }
    // A pool of each size may be open, and a sixteenth of what lives idle.
    EXPECT_LE(most_idle(), before + (size_t{3} << 20));
}

INSTANTIATE_TEST_SUITE_P(KeepingOne, InTurn, testing::Bool());

/// Clients that have many objects one after the other, of other sizes than the one before.
class Peaks : public testing::Test {
  protected:
    void have_peaks(unsigned clients, bool keeps_one) {
        for (unsigned i = 0; i < clients; ++i) {
            const size_t bytes = 16 * (1 + i % 64);
            const uint32_t client = pools_.heap.add(bytes);
            std::vector<char*> objects(4'000'000 / bytes);
            std::ranges::generate(objects, [&] { return pools_.allocate(client); });
            if (keeps_one) {
                objects.erase(objects.begin() + static_cast<ptrdiff_t>(objects.size() / 2));
            }
            std::ranges::for_each(objects, [&](char* object) { pools_.deallocate(object); });
            EXPECT_LE(arena().idle_bytes(), arena().most_idle());
        }
    }
    /// Of objects of one client, all of which go.
    void have_peak(size_t bytes) {
        std::vector<char*> objects(bytes / 1000);
        std::ranges::generate(objects, [&] { return pools_.allocate(client_); });
        std::ranges::for_each(objects, [&](char* object) { pools_.deallocate(object); });
    }
    void have_larger_peaks(unsigned count) {
        for (unsigned i = 1; i <= count; ++i) {
            have_peak(size_t{1'000'000} * i);
        }
    }
    heaps::PoolArena& arena() { return pools_.heap.arena(); }

    PoolsHere pools_{size_t{1} << 30};
    const uint32_t client_ = pools_.heap.add(1000);
};

TEST_F(Peaks, RangesBecomeSmallerWhereFewObjectsKeepMuchAndLargerWhereTheHeapGrows) {
    const unsigned largest = arena().largest_order();
    have_peaks(100, true);
    const unsigned small = arena().largest_order();
    EXPECT_LE(heaps::range_bytes(small), size_t{256} << 10);
    const uint32_t client = pools_.heap.add(48);
    for (size_t i = 0; i < (size_t{20} << 20) / 48; ++i) {
        ASSERT_NE(pools_.allocate(client), nullptr);
    }
    EXPECT_GT(arena().largest_order(), small);
    EXPECT_LE(arena().largest_order(), largest);
}

TEST_F(Peaks, WhatAPeakHadGoesBackWhereItDoesNotComeAgain) {
    have_larger_peaks(100);
    for (unsigned i = 0; i < 100; ++i) {
        have_peak(8'000'000);
    }
    EXPECT_LE(arena().idle_bytes(), size_t{16} << 20);
}

TEST_F(Peaks, WhatIsNeededAgainEachTimeIsKeptUpToTheLastPeak) {
    have_peaks(100, true);
    const size_t before = arena().given_back_bytes();
    have_peaks(100, true);
    // Of 400 MB.
    EXPECT_LT(arena().given_back_bytes() - before, 100'000'000);
    EXPECT_LE(arena().most_idle(), (size_t{9} << 20) + arena().out_bytes() / 4);
}

/// A program that makes, touches and frees objects of several clients.
class RandomProgram {
  public:
    RandomProgram(const std::vector<size_t>& sizes, unsigned seed) : random_(seed) {
        for (const size_t bytes : sizes) {
            clients_.push_back(pools_.heap.add(bytes));
            bytes_.push_back(pools_.heap.chunk_for(bytes));
        }
    }

    void make(size_t kind) {
        char* object = pools_.allocate(clients_[kind]);
        ASSERT_NE(object, nullptr);
        std::fill_n(object, bytes_[kind], char(kind));
        objects_.push_back({object, kind});
        living_bytes_ += bytes_[kind];
        for_pages(object, bytes_[kind], [&](uintptr_t page) { ++living_pages_[page]; });
    }
    void free_one(size_t at) {
        const Object object = objects_[at];
        pools_.deallocate(object.start);
        living_bytes_ -= bytes_[object.kind];
        for_pages(object.start, bytes_[object.kind], [&](uintptr_t page) {
            if (--living_pages_[page] == 0) {
                living_pages_.erase(page);
            }
        });
        objects_[at] = objects_.back();
        objects_.pop_back();
    }
    /// Makes and frees so that about `wanted` live.
    void step(size_t wanted) {
        if (random_() % (2 * wanted) >= objects_.size()) {
            make(random_() % clients_.size());
        } else {
            free_one(random_() % objects_.size());
        }
    }
    void prefer_huge_pages() {
        pools_.heap.arena().prefer_huge_pages();
        huge_bytes_ = heaps::block_bytes;
    }
    size_t count() const { return objects_.size(); }
    std::mt19937_64& random() { return random_; }

    /// Pages that are resident, by the kernel's word.
    size_t resident_bytes() const {
        const heaps::PoolArena& arena = pools_.heap.arena();
        uintptr_t end = arena.base();
        for (size_t i = 0; i < arena.pools_count(); ++i) {
            const Pool& pool = arena.pools()[i];
            end = std::max(end, heaps::range_of(pool) + heaps::range_bytes(pool.order));
        }
        const size_t bytes = platform::round_up(end - arena.base(), heaps::block_bytes);
        std::vector<unsigned char> residence(bytes / platform::page_bytes());
        mincore(reinterpret_cast<void*>(arena.base()), bytes, residence.data());
        const auto pages = std::count_if(residence.begin(), residence.end(),
                                         [](unsigned char page) { return (page & 1) != 0; });
        return static_cast<size_t>(pages) * platform::page_bytes();
    }

    /// Whether no more is resident than may be. The magazines are only looked at where the rest is not
    /// enough.
    bool is_bounded() {
        const size_t reserve = std::max(living_bytes_ / 16, size_t{1} << 20);
        const size_t open_pools =
            std::set<size_t>(bytes_.begin(), bytes_.end()).size() * heaps::largest_range;
        const size_t bound =
            living_pages_.size() * platform::page_bytes() + reserve + open_pools + huge_bytes_;
        const size_t resident = resident_bytes();
        return resident <= bound || resident <= bound + magazine_pages() * platform::page_bytes();
    }

    PoolsHere pools_;

  private:
    struct Object {
        char* start;
        size_t kind;
    };

    template <class Visit>
    static void for_pages(const void* start, size_t bytes, Visit visit) {
        const auto first = reinterpret_cast<uintptr_t>(start);
        for (uintptr_t page = first / 4096; page <= (first + bytes - 1) / 4096; ++page) {
            visit(page);
        }
    }
    // Pages of chunks in magazines.
    size_t magazine_pages() {
        std::set<uintptr_t> pages;
        for (size_t kind = 0; kind < clients_.size(); ++kind) {
            const heaps::LocalPools& local = pools_.self().local(clients_[kind]);
            for (uint32_t i = 0; local.slots != nullptr && i < local.limit; ++i) {
                if (local.slots[i] > heaps::magazine_sentinel) {
                    for_pages(reinterpret_cast<void*>(local.slots[i]), bytes_[kind],
                              [&](uintptr_t page) { pages.insert(page); });
                }
            }
        }
        return pages.size();
    }

    std::mt19937_64 random_;
    std::vector<uint32_t> clients_;
    std::vector<size_t> bytes_;
    std::vector<Object> objects_;
    size_t living_bytes_ = 0;
    size_t huge_bytes_ = 0;                     // may be idle beside the rest
    std::map<uintptr_t, size_t> living_pages_;  // how many objects lie on each
};

// Looks after each step, or where the kernel would be asked too often, after each so many.
void rise_and_fall(RandomProgram& program, size_t most, size_t each) {
    for (const size_t wanted : {most, most / 50, most / 2, size_t{10}, most}) {
        for (size_t step = 0; step < 3 * most; ++step) {
            program.step(wanted);
            if (step % each == 0) {
                ASSERT_TRUE(program.is_bounded()) << wanted << " at step " << step;
            }
        }
    }
}

TEST(PoolBound, HoldsAfterEachStepForFewClients) {
    RandomProgram program({16, 48, 200, 1000, 4096}, 1);
    rise_and_fall(program, does_all() ? 2000 : 700, 1);
}

TEST(PoolBound, HoldsAfterEachStepForManyClientsOfOneSizeClass) {
    RandomProgram program(std::vector<size_t>(50, 64), 2);
    rise_and_fall(program, does_all() ? 2000 : 700, 1);
}

TEST(PoolBound, HoldsForFewClients) {
    RandomProgram program({16, 48, 200, 1000, 4096}, 1);
    rise_and_fall(program, amount(size_t{20000}), 500);
}

TEST(PoolBound, HoldsWithHugePages) {
    RandomProgram program({16, 48, 200, 1000, 4096}, 1);
    program.prefer_huge_pages();
    rise_and_fall(program, amount(size_t{20000}), 500);
}

TEST(PoolBound, HoldsForManyClientsOfOneSizeClass) {
    RandomProgram program(std::vector<size_t>(300, 64), 2);
    rise_and_fall(program, does_all() ? 40000 : 10000, does_all() ? 4000 : 1000);
}

TEST(PoolBound, HoldsWhereEachClientLeavesAThousandth) {
    const size_t clients = amount(size_t{64});
    RandomProgram program(std::vector<size_t>(clients, 100), 3);
    for (size_t kind = 0; kind < clients; ++kind) {
        const size_t before = program.count();
        for (int i = 0; i < 20000; ++i) {
            program.make(kind);
        }
        for (size_t at = program.count(); at-- > before;) {
            if (at % 1000 != 0) {
                program.free_one(at);
            }
        }
        ASSERT_TRUE(program.is_bounded()) << kind;
    }
    EXPECT_LT(program.resident_bytes(), size_t{12} << 20);
}

TEST(PoolBound, HoldsWhereClientsPeakOneAfterTheOther) {
    const size_t clients = amount(size_t{600});
    RandomProgram program(std::vector<size_t>(clients, 100), 4);
    for (size_t kind = 0; kind < clients; ++kind) {
        for (int i = 0; i < 5000; ++i) {
            program.make(kind);
        }
        while (program.count() != 0) {
            program.free_one(program.random()() % program.count());
        }
        ASSERT_TRUE(program.is_bounded()) << kind;
    }
    EXPECT_LT(program.resident_bytes(), size_t{6} << 20);
}

}  // namespace
}  // namespace malloom::tests
