// What pools keep resident, against what lives in them: the bound of pool_heap.h, checked in random
// programs.
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <algorithm>
#include <random>
#include <set>
#include <vector>

#include "runtime/platform/memory.h"
#include "tests/runtime/heaps/pools/pools_here.h"

namespace malloom::tests {
namespace {

using heaps::Pool;
using heaps::PoolHeap;

/// A program that makes, touches and frees objects of several borrowers.
class RandomProgram {
  public:
    RandomProgram(const std::vector<size_t>& sizes, unsigned seed) : random_(seed) {
        for (const size_t bytes : sizes) {
            borrowers_.push_back(pools_.heap.add(bytes));
            bytes_.push_back(PoolHeap::chunk_for(bytes));
        }
    }

    void make(size_t kind) {
        char* object = pools_.allocate(borrowers_[kind]);
        ASSERT_NE(object, nullptr);
        std::fill_n(object, bytes_[kind], char(kind));
        objects_.push_back({object, kind});
    }
    void free_one(size_t at) {
        pools_.deallocate(objects_[at].start);
        objects_[at] = objects_.back();
        objects_.pop_back();
    }
    /// Makes and frees so that about `wanted` live.
    void step(size_t wanted) {
        if (random_() % (2 * wanted) >= objects_.size()) {
            make(random_() % borrowers_.size());
        } else {
            free_one(random_() % objects_.size());
        }
    }
    size_t count() const { return objects_.size(); }
    std::mt19937_64& random() { return random_; }

    /// Pages that are resident, by the kernel's word.
    size_t resident_bytes() const {
        const heaps::PoolArena& arena = pools_.heap.arena();
        size_t pages = 0;
        for (size_t i = 0; i < arena.pools_count(); ++i) {
            const Pool& pool = arena.pools()[i];
            unsigned char residence[heaps::largest_range / 4096];
            const size_t bytes = heaps::range_bytes(pool.order);
            mincore(reinterpret_cast<void*>(heaps::range_of(pool)), bytes, residence);
            pages += static_cast<size_t>(std::count_if(residence, residence + bytes / platform::page_bytes(),
                                                       [](unsigned char page) { return (page & 1) != 0; }));
        }
        return pages * platform::page_bytes();
    }

    /// What may be resident.
    size_t bound() {
        std::set<uintptr_t> pages;
        size_t living = 0;
        for (const Object& object : objects_) {
            note_pages(pages, object.start, bytes_[object.kind]);
            living += bytes_[object.kind];
        }
        const size_t reserve = std::max(living / 16, size_t{1} << 20);
        const size_t open_pools =
            std::set<size_t>(bytes_.begin(), bytes_.end()).size() * heaps::largest_range;
        return (pages.size() + magazine_pages()) * platform::page_bytes() + reserve + open_pools;
    }

    PoolsHere pools_;

  private:
    struct Object {
        char* start;
        size_t kind;
    };

    static void note_pages(std::set<uintptr_t>& pages, const void* start, size_t bytes) {
        const auto first = reinterpret_cast<uintptr_t>(start);
        for (uintptr_t page = first / 4096; page <= (first + bytes - 1) / 4096; ++page) {
            pages.insert(page);
        }
    }
    // Pages of chunks in magazines.
    size_t magazine_pages() {
        std::set<uintptr_t> pages;
        for (size_t kind = 0; kind < borrowers_.size(); ++kind) {
            const heaps::PoolShare& share = pools_.self().share(borrowers_[kind]);
            for (uint32_t i = 0; share.slots != nullptr && i < share.limit; ++i) {
                if (share.slots[i] > heaps::magazine_sentinel) {
                    note_pages(pages, reinterpret_cast<void*>(share.slots[i]), bytes_[kind]);
                }
            }
        }
        return pages.size();
    }

    std::mt19937_64 random_;
    std::vector<uint32_t> borrowers_;
    std::vector<size_t> bytes_;
    std::vector<Object> objects_;
};

void rise_and_fall(RandomProgram& program, size_t most) {
    for (const size_t wanted : {most, most / 50, most / 2, size_t{10}, most}) {
        for (size_t step = 0; step < 3 * most; ++step) {
            program.step(wanted);
            if (step % (most / 4) == 0) {
                ASSERT_LE(program.resident_bytes(), program.bound()) << wanted << " at step " << step;
            }
        }
    }
}

TEST(PoolBound, HoldsForFewBorrowers) {
    RandomProgram program({16, 48, 200, 1000, 4096}, 1);
    rise_and_fall(program, 20000);
}

TEST(PoolBound, HoldsForManyBorrowersOfOneSizeClass) {
    RandomProgram program(std::vector<size_t>(300, 64), 2);
    rise_and_fall(program, 40000);
}

TEST(PoolBound, HoldsWhereEachBorrowerLeavesAThousandth) {
    RandomProgram program(std::vector<size_t>(64, 100), 3);
    for (size_t kind = 0; kind < 64; ++kind) {
        const size_t before = program.count();
        for (int i = 0; i < 20000; ++i) {
            program.make(kind);
        }
        for (size_t at = program.count(); at-- > before;) {
            if (at % 1000 != 0) {
                program.free_one(at);
            }
        }
        ASSERT_LE(program.resident_bytes(), program.bound()) << kind;
    }
    EXPECT_LT(program.resident_bytes(), size_t{12} << 20);
}

TEST(PoolBound, HoldsWhereBorrowersPeakOneAfterTheOther) {
    RandomProgram program(std::vector<size_t>(600, 100), 4);
    for (size_t kind = 0; kind < 600; ++kind) {
        for (int i = 0; i < 5000; ++i) {
            program.make(kind);
        }
        while (program.count() != 0) {
            program.free_one(program.random()() % program.count());
        }
        ASSERT_LE(program.resident_bytes(), program.bound()) << kind;
    }
    EXPECT_LT(program.resident_bytes(), size_t{6} << 20);
}

}  // namespace
}  // namespace malloom::tests
