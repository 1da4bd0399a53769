// What the heaps of a process promise together: that each request and each pointer finds its heap. What each
// promises alone is HeapConformance (heap_conformance.h).
#include <cstdlib>
#include <random>
#include <thread>

#include "runtime/platform/real_allocator.h"
#include "tests/amount.h"
#include "tests/runtime/heaps/compositions.h"

namespace malloom::tests {
namespace {

template <typename T>
class CompositionConformance : public testing::Test {
  protected:
    T heap;
};
TYPED_TEST_SUITE(CompositionConformance, AllCompositions);

// Keeps a random set of objects alive and checks that none ever touches another.
template <typename Heap>
void live_and_let_live(Heap& heap, unsigned seed, int steps) {
    std::mt19937 random(seed);
    struct Object {
        unsigned char* start;
        size_t bytes;
        unsigned char mark;
    };
    std::vector<Object> objects;
    const auto check = [](const Object& object) {
        for (size_t i = 0; i < object.bytes; ++i) {
            ASSERT_EQ(object.start[i], object.mark);
        }
    };
    for (int step = 0; step < steps; ++step) {
        const auto mark = static_cast<unsigned char>(random());
        const size_t bytes = random() % 100 == 0 ? random() % 100000 : random() % 2100;
        const unsigned context = random() % composition_contexts;
        if (objects.size() < 300 && random() % 3 != 0) {
            auto* start =
                static_cast<unsigned char*>(heap.allocate(bytes, random() % 8 == 0 ? 64 : 0, context));
            ASSERT_NE(start, nullptr);
            memset(start, mark, bytes);
            objects.push_back({start, bytes, mark});
        } else if (!objects.empty()) {
            Object& object = objects[random() % objects.size()];
            check(object);
            if (random() % 3 == 0) {
                const size_t wanted = bytes + 1;
                object.start = static_cast<unsigned char*>(heap.reallocate(object.start, wanted, context));
                ASSERT_NE(object.start, nullptr);
                memset(object.start, object.mark, wanted);
                object.bytes = wanted;
            } else {
                heap.deallocate(object.start);
                object = objects.back();
                objects.pop_back();
            }
        }
    }
    for (const Object& object : objects) {
        check(object);
        heap.deallocate(object.start);
    }
}

TYPED_TEST(CompositionConformance, ObjectsNeverOverlapWithThreads) {
    std::vector<std::thread> threads;
    for (unsigned i = 0; i < 6; ++i) {
        threads.emplace_back([this, i] { live_and_let_live(this->heap, i, amount(15000)); });
    }
    for (auto& thread : threads) {
        thread.join();
    }
}

TYPED_TEST(CompositionConformance, OneThreadFreesWhatAnotherGot) {
    std::vector<std::atomic<void*>> mailbox(64);
    std::vector<std::thread> threads;
    for (unsigned i = 0; i < 4; ++i) {
        threads.emplace_back([this, i, &mailbox] {
            std::mt19937 random(i);
            for (int step = 0; step < amount(20000); ++step) {
                void* object = this->heap.allocate(random() % 700, 0, random() % composition_contexts);
                ASSERT_NE(object, nullptr);
                void* other = mailbox[random() % mailbox.size()].exchange(object);
                if (other != nullptr) {
                    this->heap.deallocate(other);
                }
            }
        });
    }
    for (auto& thread : threads) {
        thread.join();
    }
    for (auto& object : mailbox) {
        if (object != nullptr) {
            this->heap.deallocate(object);
        }
    }
}

#ifndef __SANITIZE_THREAD__  // ThreadSanitizer has nothing to find in one thread.

TYPED_TEST(CompositionConformance, ObjectsNeverOverlap) {
    live_and_let_live(this->heap, 1, amount(60000));
}

TYPED_TEST(CompositionConformance, EveryAlignmentIsKept) {
    for (size_t alignment = 1; alignment <= (size_t{4} << 20); alignment *= 2) {
        for (size_t bytes :
             {size_t{1}, size_t{100}, size_t{5000}, size_t{300000}, alignment, 2 * alignment}) {
            // Several: the first may be aligned by chance.
            void* objects[4];
            for (void*& object : objects) {
                object = this->heap.allocate(bytes, alignment, 1);
                ASSERT_NE(object, nullptr);
                EXPECT_EQ(reinterpret_cast<uintptr_t>(object) % alignment, 0u) << bytes;
                EXPECT_GE(this->heap.usable_size(object), bytes);
                memset(object, 1, bytes);
            }
            for (void* object : objects) {
                this->heap.deallocate(object);
            }
        }
    }
}

TYPED_TEST(CompositionConformance, ZeroedMemoryIsZeroAlsoWhenReused) {
    for (int round = 0; round < amount(50); ++round) {
        for (size_t bytes : {size_t{1}, size_t{16}, size_t{496}, size_t{5000}, size_t{200000}}) {
            auto* object = static_cast<unsigned char*>(this->heap.allocate_zeroed(bytes, 2));
            ASSERT_NE(object, nullptr);
            for (size_t i = 0; i < bytes; ++i) {
                ASSERT_EQ(object[i], 0);
            }
            memset(object, 0xff, bytes);
            this->heap.deallocate(object);
        }
    }
}

TYPED_TEST(CompositionConformance, ReallocateKeepsContents) {
    std::mt19937 random(7);
    auto* object = static_cast<unsigned char*>(this->heap.allocate(10, 0, 3));
    memset(object, 3, 10);
    size_t bytes = 10;
    for (int step = 0; step < 3000; ++step) {
        const size_t wanted = step % 500 == 499 ? size_t{20} << 20 : 1 + random() % 5000;
        object =
            static_cast<unsigned char*>(this->heap.reallocate(object, wanted, static_cast<unsigned>(step)));
        ASSERT_NE(object, nullptr);
        for (size_t i = 0; i < std::min(bytes, wanted); ++i) {
            ASSERT_EQ(object[i], 3);
        }
        memset(object, 3, wanted);
        bytes = wanted;
    }
    this->heap.deallocate(object);
}

TYPED_TEST(CompositionConformance, WhatNobodyCanHaveIsRefused) {
    // Some are 2 GiB below 0, as a negative int becomes.
    for (size_t bytes : {SIZE_MAX, SIZE_MAX - 1, SIZE_MAX - 15, SIZE_MAX - 0x7fffffff, SIZE_MAX - 0x7ffffeff,
                         SIZE_MAX / 2 + 1, size_t{1} << 60}) {
        EXPECT_EQ(this->heap.allocate(bytes, 0, 0), nullptr);
        EXPECT_EQ(this->heap.allocate(bytes, 4096, 0), nullptr);
        EXPECT_EQ(this->heap.allocate_zeroed(bytes, 0), nullptr);
    }
    void* object = this->heap.allocate(100, 0, 0);
    memset(object, 9, 100);
    EXPECT_EQ(this->heap.reallocate(object, SIZE_MAX / 2 + 1, 0), nullptr);
    EXPECT_EQ(static_cast<char*>(object)[99], 9);
    this->heap.deallocate(object);
}

TYPED_TEST(CompositionConformance, ObjectsOfTheRealAllocatorAreAccepted) {
    void* object = platform::real::allocate(100);
    EXPECT_GE(this->heap.usable_size(object), 100u);
    this->heap.deallocate(object);
    object = platform::real::allocate(100);
    memset(object, 8, 100);
    object = this->heap.reallocate(object, 100000, 0);
    ASSERT_NE(object, nullptr);
    EXPECT_EQ(static_cast<char*>(object)[99], 8);
    this->heap.deallocate(object);
}

#endif

}  // namespace
}  // namespace malloom::tests
