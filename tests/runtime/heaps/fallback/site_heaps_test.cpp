// Heaps of mimalloc's that call sites have for themselves.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <set>
#include <thread>
#include <vector>

#include "runtime/heaps/fallback/fallback_heap.h"

namespace malloom::tests {
namespace {

using heaps::FallbackHeap;
using heaps::FallbackKind;

constexpr size_t largest = 4096;

class SiteHeaps : public testing::Test {
  protected:
    void SetUp() override {
        heap.choose(FallbackKind::mimalloc);
        malloom_entries others = {};
        others.allocate = [](size_t bytes) { return heap.allocate({bytes, 0}); };
        heap.leave_others_to(others);
    }

    static uint32_t add(size_t bytes) {
        const uint32_t number = heap.add_heap(bytes);
        EXPECT_NE(number, FallbackHeap::no_heap);
        return number;
    }
    static char* make(size_t bytes, uint32_t number) {
        return static_cast<char*>(malloom_mimalloc_allocate_in(bytes, number));
    }
    static void release(const std::vector<char*>& objects) {
        for (char* object : objects) {
            heap.deallocate(object);
        }
    }

    static FallbackHeap heap;
};

constinit FallbackHeap SiteHeaps::heap;

std::vector<char*> many(size_t count, size_t bytes, uint32_t number) {
    std::vector<char*> made(count);
    for (char*& object : made) {
        object = static_cast<char*>(malloom_mimalloc_allocate_in(bytes, number));
        memset(object, static_cast<char>(number), bytes);
    }
    return made;
}

void expect_whole(const std::vector<char*>& objects, size_t bytes, uint32_t number) {
    for (const char* object : objects) {
        ASSERT_TRUE(std::all_of(object, object + bytes,
                                [=](char byte) { return byte == static_cast<char>(number); }));
    }
}

std::set<uintptr_t> slices_of(const std::vector<char*>& objects) {
    std::set<uintptr_t> slices;
    for (const char* object : objects) {
        slices.insert(reinterpret_cast<uintptr_t>(object) / malloom_mimalloc_slice);
    }
    return slices;
}

TEST_F(SiteHeaps, SitesOfOneSizeShareNoPage) {
    constexpr size_t bytes = 64, count = 5000;
    const uint32_t first = add(bytes), second = add(bytes);
    ASSERT_NE(first, second);
    std::vector<char*> of[3];
    for (size_t i = 0; i < count; ++i) {
        of[0].push_back(make(bytes, first));
        of[1].push_back(make(bytes, second));
        of[2].push_back(static_cast<char*>(heap.allocate({bytes, 0})));
    }
    std::set<uintptr_t> all;
    size_t slices = 0;
    for (const auto& objects : of) {
        all.merge(slices_of(objects));
        slices += slices_of(objects).size();
    }
    EXPECT_EQ(all.size(), slices);
    EXPECT_TRUE(FallbackHeap::is_of_a_site(of[0][0]));
    EXPECT_FALSE(FallbackHeap::is_of_a_site(of[2][0]));
    EXPECT_FALSE(FallbackHeap::is_of_a_site(&all));
    for (const auto& objects : of) {
        release(objects);
    }
}

TEST_F(SiteHeaps, ObjectsHaveRoomAndAlignment) {
    const uint32_t number = add(1);
    for (size_t bytes = 1; bytes <= largest; ++bytes) {
        for (auto* allocate : {malloom_mimalloc_allocate_in, malloom_mimalloc_create_in}) {
            void* object = allocate(bytes, number);
            ASSERT_NE(object, nullptr);
            ASSERT_EQ(reinterpret_cast<uintptr_t>(object) % 16, 0u) << bytes;
            ASSERT_GE(heap.usable_size(object), bytes);
            memset(object, 1, bytes);
            ASSERT_EQ(heap.reallocate(object, {bytes, 0}), object);
            object = heap.reallocate(object, {2 * bytes + 1, 0});
            ASSERT_GE(heap.usable_size(object), 2 * bytes + 1);
            heap.deallocate(object);
        }
    }
}

TEST_F(SiteHeaps, MoreSitesThanHeapsShareThem) {
    std::set<uint32_t> numbers;
    for (int i = 0; i < 5 * malloom_mimalloc_most_heaps; ++i) {
        numbers.insert(add(208));
    }
    EXPECT_EQ(numbers.size(), size_t{malloom_mimalloc_most_heaps});
}

TEST_F(SiteHeaps, OtherFallbacksHaveNone) {
    FallbackHeap other;
    EXPECT_EQ(other.add_heap(64), FallbackHeap::no_heap);
    other.choose(FallbackKind::system);
    EXPECT_EQ(other.add_heap(64), FallbackHeap::no_heap);
    EXPECT_EQ(heap.add_heap(size_t{1} << 40), FallbackHeap::no_heap);
}

// Of 128 bytes each: all of mimalloc's own lie at the same lines of a pair.
TEST_F(SiteHeaps, PagesBeginAtDifferentLines) {
    constexpr size_t line = 64;
    const std::vector<char*> objects = many(20000, 2 * line, add(2 * line));
    const auto at_odd_lines = std::count_if(objects.begin(), objects.end(), [](char* object) {
        return reinterpret_cast<uintptr_t>(object) / line % 2 != 0;
    });
    EXPECT_GT(at_odd_lines, 6000);
    EXPECT_LT(at_odd_lines, 14000);
    release(objects);
}

TEST_F(SiteHeaps, ThreadsFreeEachOthersAndEnd) {
    constexpr size_t bytes = 96, count = 3000;
    const uint32_t number = add(bytes);
    for (int round = 0; round < 4; ++round) {
        std::vector<char*> of_others[2];
        std::thread threads[2];
        for (int i = 0; i < 2; ++i) {
            threads[i] = std::thread([&, i] {
                of_others[i] = many(count, bytes, number);
                const std::vector<char*> own = many(count, bytes, number);
                expect_whole(own, bytes, number);
                release(own);
            });
        }
        const std::vector<char*> own = many(count, bytes, number);
        for (std::thread& thread : threads) {
            thread.join();
        }
        expect_whole(of_others[0], bytes, number);
        release(of_others[0]);
        std::thread([&] {
            release(of_others[1]);
            release(own);
        }).join();
    }
}

TEST_F(SiteHeaps, TheChildOfAForkAllocates) {
    constexpr size_t bytes = 160;
    const uint32_t number = add(bytes);
    std::atomic<bool> is_over = false;
    std::thread other([&] {
        while (!is_over) {
            release(many(500, bytes, number));
        }
    });
    const std::vector<char*> before = many(100, bytes, number);
    for (int i = 0; i < 20; ++i) {
        const pid_t child = fork();
        if (child == 0) {
            release(before);
            release(many(1000, bytes, number));
            _exit(FallbackHeap::is_of_a_site(make(bytes, number)) ? 0 : 1);
        }
        int status = 0;
        ASSERT_EQ(waitpid(child, &status, 0), child);
        ASSERT_EQ(status, 0);
    }
    is_over = true;
    other.join();
    expect_whole(before, bytes, number);
    release(before);
}

// What a handler does that comes while its thread has mimalloc's lock, once in each growth.
struct Interruption {
    FallbackHeap* heap;
    uint32_t number;
    int in_main = 0;

    static void come(void* argument) {
        auto& self = *static_cast<Interruption*>(argument);
        for (size_t bytes = 16; bytes <= largest; bytes *= 2) {
            char* object = static_cast<char*>(malloom_mimalloc_allocate_in(bytes, self.number));
            memset(object, 1, bytes);
            self.in_main += FallbackHeap::is_of_a_site(object) ? 0 : 1;
            self.heap->deallocate(object);
        }
    }
};

TEST_F(SiteHeaps, WhoeverInterruptsMimallocIsServed) {
    Interruption interruption{&heap, add(48)};
    FallbackHeap::on_growth(Interruption::come, &interruption);
    const uint32_t number = add(largest);
    std::vector<char*> objects;
    // Memory that tests before this one have given back is used first.
    while (interruption.in_main == 0 && objects.size() < 200'000) {
        const std::vector<char*> more = many(1000, largest, number);
        objects.insert(objects.end(), more.begin(), more.end());
    }
    FallbackHeap::on_growth(nullptr, nullptr);
    EXPECT_GT(interruption.in_main, 0);
    expect_whole(objects, largest, number);
    release(objects);
}

}  // namespace
}  // namespace malloom::tests
