// Heaps with an instance a thread: who frees what, what becomes of instances whose threads end, and of empty
// regions. What each promises as one of many is HeapConformance.
#include "runtime/heaps/threads/thread_heaps.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstring>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "runtime/heaps/bins/adapter/thread_bins.h"
#include "runtime/heaps/pages/adapter/thread_pages.h"
#include "runtime/platform/memory.h"
#include "tests/amount.h"

namespace malloom::tests {
namespace {

/// What the suite knows of each heap besides.
struct Bins {
    using Heap = heaps::BinsOfThread;
    static constexpr const char* name = "Bins";
    /// Regions of a heap in which nothing lives.
    static constexpr uint32_t kept_regions = 1;

    static size_t living(const Heap& heap) {
        malloom_bins_statistics statistics;
        malloom_bins_statistics_of(&heap.bins, &statistics);
        return statistics.living_objects;
    }
    static bool is_whole(Heap& heap) { return malloom_bins_check(&heap.bins) == MALLOOM_BINS_OK; }
};

struct Pages {
    using Heap = heaps::PagesOfThread;
    using Geometry = Heap::Pages::Geometry;
    static constexpr const char* name = "Pages";
    /// Another one has the page that is kept.
    static constexpr uint32_t kept_regions = 2;

    static size_t living(const Heap& heap) {
        size_t objects = 0;
        for (const Heap::Region* region = heap.first_region(); region != nullptr; region = region->next) {
            for (uint32_t page = region->first; page < region->pages; ++page) {
                objects += living_in(region->directory()[page]);
            }
        }
        return objects;
    }
    static bool is_whole(Heap& heap) { return heap.pages.is_valid(); }

  private:
    static size_t living_in(uintptr_t entry) {
        using namespace heaps::pages;
        if (entry == 0 || (entry & kind_of_entry) != 0) {
            return (entry & kind_of_entry) == living_run ? 1 : 0;
        }
        const Page& page = *reinterpret_cast<const Page*>(entry);
        return Geometry::chunks_of(page.size_class) - page.first - page.free;
    }
};

template <class Kind>
class ThreadHeapsTest : public testing::Test {
  protected:
    using Heaps = heaps::ThreadHeaps<typename Kind::Heap>;
    using Instance = typename Heaps::Instance;

    static constexpr size_t region_bytes = size_t{256} << 20;

    ThreadHeapsTest() : region_(platform::reserve_addresses(region_bytes, platform::page_bytes())) {
        EXPECT_TRUE(heap.open(region_, region_bytes));
        self = heap.join();
        EXPECT_NE(self, nullptr);
    }
    ~ThreadHeapsTest() override { platform::unmap_pages(region_, region_bytes); }

    void* allocate(size_t bytes) { return heap.allocate(*self, {bytes, 0}); }
    std::vector<void*> allocate_many(Instance& from, size_t count, size_t bytes) {
        std::vector<void*> objects;
        for (size_t i = 0; i < count; ++i) {
            objects.push_back(heap.allocate(from, {bytes, 0}));
            EXPECT_NE(objects.back(), nullptr);
        }
        return objects;
    }
    void release_all(Instance& by, const std::vector<void*>& objects) {
        for (void* object : objects) {
            heap.release(by, object);
        }
    }
    /// Each instance is whole, and has so many objects.
    static void expect_living(Instance& instance, size_t objects) {
        EXPECT_TRUE(Kind::is_whole(instance));
        EXPECT_EQ(Kind::living(instance), objects);
    }

  private:
    void* region_;

  protected:
    Heaps heap;
    Instance* self;
};

struct Names {
    template <class Kind>
    static std::string GetName(int) {
        return Kind::name;
    }
};
using Kinds = testing::Types<Bins, Pages>;
TYPED_TEST_SUITE(ThreadHeapsTest, Kinds, Names);

TYPED_TEST(ThreadHeapsTest, TheOwnerHasWhatOthersFreeByItsNextCalls) {
    typename TestFixture::Instance& other = *this->heap.join();
    const auto objects = this->allocate_many(*this->self, 100, 40);
    std::thread([&] { this->release_all(other, objects); }).join();
    this->expect_living(*this->self, 100);
    this->expect_living(other, 0);
    for (int call = 0; call < 100; ++call) {
        this->heap.release(*this->self, this->allocate(40));
    }
    this->expect_living(*this->self, 0);
    EXPECT_EQ(this->heap.counts().freed_by_others, 100u);
}

TYPED_TEST(ThreadHeapsTest, WhatOthersFreedServesBeforeTheHeapGrows) {
    typename TestFixture::Instance& other = *this->heap.join();
    for (int round = 0; round < 20; ++round) {
        this->release_all(other, this->allocate_many(*this->self, 800, 1000));
    }
    EXPECT_LE(this->heap.counts().most_bytes, size_t{2} << 20);
}

TYPED_TEST(ThreadHeapsTest, ABeginningThreadTakesOverAnInstance) {
    typename TestFixture::Instance& other = *this->heap.join();
    const auto objects = this->allocate_many(other, 10, 40);
    this->heap.leave(other);
    typename TestFixture::Instance& next = *this->heap.join();
    EXPECT_EQ(&next, &other);
    this->expect_living(next, 10);
    this->release_all(next, objects);
    this->expect_living(next, 0);
    EXPECT_EQ(this->heap.counts().instances, 2u);
}

TYPED_TEST(ThreadHeapsTest, WhatAnEndedThreadLeftIsFreedAtOnce) {
    typename TestFixture::Instance& other = *this->heap.join();
    const auto objects = this->allocate_many(other, 5000, 1000);
    this->heap.leave(other);
    EXPECT_GT(this->heap.counts().regions, 1u);
    this->release_all(*this->self, objects);
    this->expect_living(other, 0);
    EXPECT_EQ(this->heap.counts().regions, 0u);
}

TYPED_TEST(ThreadHeapsTest, WhatWasToBeFreedLaterIsFreedWhenTheThreadEnds) {
    typename TestFixture::Instance& other = *this->heap.join();
    this->release_all(*this->self, this->allocate_many(other, 3000, 1000));
    this->heap.leave(other);
    this->expect_living(other, 0);
    EXPECT_EQ(this->heap.counts().regions, 0u);
}

TYPED_TEST(ThreadHeapsTest, EmptyRegionsGoBackButForOne) {
    const auto objects = this->allocate_many(*this->self, 20000, 1000);
    EXPECT_GT(this->heap.counts().regions, 3u);
    EXPECT_GE(this->heap.counts().most_bytes, 20000u * 1000);
    this->release_all(*this->self, objects);
    EXPECT_LE(this->heap.counts().regions, TypeParam::kept_regions);
    this->allocate_many(*this->self, 20000, 1000);
    this->expect_living(*this->self, 20000);
}

TYPED_TEST(ThreadHeapsTest, RegionsAreFewHoweverLargeTheHeap) {
    this->allocate_many(*this->self, 1600, size_t{100} << 10);
    EXPECT_LE(this->heap.counts().regions, 12u);
    EXPECT_GE(this->heap.counts().most_bytes, size_t{160} << 20);
}

TYPED_TEST(ThreadHeapsTest, AFullRangeServesToItsLastUnit) {
    size_t bytes = 0;
    std::vector<void*> objects;
    while (void* object = this->allocate(size_t{200} << 10)) {
        objects.push_back(object);
        bytes += size_t{200} << 10;
    }
    EXPECT_GT(bytes, TestFixture::region_bytes / 10 * 9);
    EXPECT_EQ(this->heap.allocate(*this->heap.join(), {16, 0}), nullptr) << "a new instance has no region";
    this->release_all(*this->self, objects);
    EXPECT_NE(this->allocate(16), nullptr);
}

TYPED_TEST(ThreadHeapsTest, WhatIsLargeIsLeftToOthers) {
    EXPECT_NE(this->allocate(TestFixture::Heaps::largest_bytes), nullptr);
    EXPECT_EQ(this->allocate(TestFixture::Heaps::largest_bytes + 1), nullptr);
    void* aligned = this->heap.allocate(
        *this->self, {TestFixture::Heaps::largest_bytes, TestFixture::Heaps::largest_alignment});
    EXPECT_EQ(reinterpret_cast<uintptr_t>(aligned) % TestFixture::Heaps::largest_alignment, 0u);
    EXPECT_NE(aligned, nullptr);
    EXPECT_EQ(this->heap.allocate(*this->self, {16, 2 * TestFixture::Heaps::largest_alignment}), nullptr);
}

TYPED_TEST(ThreadHeapsTest, WhoInterruptsAnInstanceDoesNotGoIn) {
    void* object = this->allocate(100);
    this->self->is_busy = true;
    EXPECT_EQ(this->allocate(100), nullptr);
    EXPECT_TRUE(this->heap.resize(*this->self, object, {90, 0}));
    this->heap.release(*this->self, object);
    this->expect_living(*this->self, 1);
    EXPECT_TRUE(this->self->is_busy);
    this->self->is_busy = false;
    EXPECT_NE(this->allocate(100), nullptr);
    this->expect_living(*this->self, 1);
    EXPECT_EQ(this->heap.counts().freed_by_others, 0u);
}

TYPED_TEST(ThreadHeapsTest, ThereAreNotMoreInstancesThanThereIsRoomFor) {
    std::vector<typename TestFixture::Instance*> all;
    while (typename TestFixture::Instance* next = this->heap.join()) {
        all.push_back(next);
        ASSERT_LE(all.size(), 1u << 16);
    }
    EXPECT_GE(all.size(), 1000u);
    this->heap.leave(*all.back());
    EXPECT_EQ(this->heap.join(), all.back());
}

TYPED_TEST(ThreadHeapsTest, AChildOfAForkLeavesOthersInstancesAlone) {
    typename TestFixture::Instance& other = *this->heap.join();
    typename TestFixture::Instance& ended = *this->heap.join();
    void* mine = this->allocate(100);
    void* others = this->heap.allocate(other, {100, 0});
    void* left = this->heap.allocate(ended, {100, 0});
    this->heap.leave(ended);
    this->heap.lock().hold_for_fork();
    const pid_t child = fork();
    if (child != 0) {
        this->heap.lock().end_fork();
        int status = 0;
        ASSERT_EQ(waitpid(child, &status, 0), child);
        EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 7) << status;
        this->heap.release(*this->self, others);
        EXPECT_TRUE(other.has_deferred());
        return;
    }
    this->heap.after_fork_in_child(this->self);
    this->heap.lock().end_fork();
    this->heap.release(*this->self, mine);
    this->heap.release(*this->self, others);
    this->heap.release(*this->self, left);
    const bool is_right = !other.has_deferred() && this->heap.usable_size(others) >= 100 &&
                          this->heap.join() == &ended && TypeParam::is_whole(*this->self) &&
                          TypeParam::is_whole(ended);
    _exit(is_right ? 7 : 8);
}

TYPED_TEST(ThreadHeapsTest, ThreadsThatComeAndGoFreeWhatTheyGotFromEachOther) {
    std::vector<std::atomic<void*>> mailbox(64);
    for (int round = 0; round < 3; ++round) {
        std::vector<std::thread> threads;
        for (unsigned i = 0; i < 4; ++i) {
            threads.emplace_back([&, i] {
                typename TestFixture::Instance& own = *this->heap.join();
                std::mt19937 random(i);
                for (int step = 0; step < amount(6000); ++step) {
                    void* object = this->heap.allocate(own, {random() % 3000, 0});
                    ASSERT_NE(object, nullptr);
                    if (void* other = mailbox[random() % mailbox.size()].exchange(object)) {
                        this->heap.release(own, other);
                    }
                }
                this->heap.leave(own);
            });
        }
        for (auto& thread : threads) {
            thread.join();
        }
    }
    for (auto& object : mailbox) {
        if (void* last = object.exchange(nullptr)) {
            this->heap.release(*this->self, last);
        }
    }
    EXPECT_LE(this->heap.counts().instances, 5u);
    for (int i = 0; i < 4; ++i) {
        this->expect_living(*this->heap.join(), 0);
    }
    EXPECT_EQ(this->heap.counts().regions, 0u);
}

TYPED_TEST(ThreadHeapsTest, ARangeThatIsTooShortIsRefused) {
    constexpr size_t bytes = size_t{1} << 20;
    void* region = platform::reserve_addresses(bytes, platform::page_bytes());
    typename TestFixture::Heaps other;
    EXPECT_FALSE(other.open(region, bytes));
    EXPECT_FALSE(other.is_open());
    EXPECT_FALSE(other.owns(region));
    platform::unmap_pages(region, bytes);
}

template <class Kind>
using ThreadHeapsDeathTest = ThreadHeapsTest<Kind>;
TYPED_TEST_SUITE(ThreadHeapsDeathTest, Kinds, Names);

TYPED_TEST(ThreadHeapsDeathTest, WhatIsNoObjectIsRefused) {
    auto* object = static_cast<char*>(this->allocate(100));
    memset(object, 0, 100);
    EXPECT_DEATH(this->heap.release(*this->self, object + 16), "where no object begins");
    EXPECT_DEATH(this->heap.release(*this->self, object + 8), "where no object begins");
    EXPECT_DEATH(this->heap.release(*this->self, object + (size_t{128} << 20)), "where no object begins")
        << "no region";
    EXPECT_DEATH(this->heap.release(*this->self, object - (size_t{1} << 20)), "where no object begins")
        << "the tables";
}

TYPED_TEST(ThreadHeapsDeathTest, FreeingTwiceIsRefused) {
    const auto objects = this->allocate_many(*this->self, 10, 100);
    for (const int i : {2, 3, 1, 9}) {
        this->heap.release(*this->self, objects[i]);
    }
    for (const int i : {1, 2, 3, 9}) {
        EXPECT_DEATH(this->heap.release(*this->self, objects[i]), "freed before") << i;
    }
}

/// What another thread gives back wrongly is told at once, before anything is written there.
TYPED_TEST(ThreadHeapsDeathTest, WrongFreesByAnotherThreadChangeNothing) {
    typename TestFixture::Instance& other = *this->heap.join();
    auto* object = static_cast<char*>(this->allocate(100));
    memset(object, 0, 100);
    auto* freed = static_cast<char*>(this->allocate(100));
    this->allocate(100);
    this->heap.release(*this->self, freed);
    static uint64_t before;
    this->heap.on_misuse([](heaps::ThreadMisuse what, const void* wrong, bool was_deferred) {
        const bool is_unchanged = *static_cast<const uint64_t*>(wrong) == before;
        _exit(is_unchanged && !was_deferred ? 10 + static_cast<int>(what) : 1);
    });
    const auto expect_refused = [&](char* wrong, heaps::ThreadMisuse what) {
        memcpy(&before, wrong, sizeof before);
        const testing::ExitedWithCode told(10 + static_cast<int>(what));
        EXPECT_EXIT(this->heap.release(other, wrong), told, "");
        EXPECT_EXIT(this->heap.resize(other, wrong, {90, 0}), told, "");
    };
    expect_refused(object + 16, heaps::ThreadMisuse::foreign);
    expect_refused(object + 32, heaps::ThreadMisuse::foreign);
    expect_refused(freed, heaps::ThreadMisuse::freed_before);
    EXPECT_FALSE(this->self->has_deferred());
}

TYPED_TEST(ThreadHeapsDeathTest, FreeingTwiceByAnotherThreadIsNoticedByTheOwner) {
    typename TestFixture::Instance& other = *this->heap.join();
    void* object = this->allocate(100);
    this->heap.release(other, object);
    this->heap.release(other, object);
    // Its memory is used again before its turn comes the second time, so what is noticed varies.
    EXPECT_DEATH(this->allocate_many(*this->self, 3, 100), "malloom: free of an");
}

}  // namespace
}  // namespace malloom::tests
