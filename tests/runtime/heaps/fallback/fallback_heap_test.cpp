// What the fallback notices of misuse, where it is asked to.
#include "runtime/heaps/fallback/fallback_heap.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstring>
#include <thread>
#include <vector>

namespace malloom::tests {
namespace {

using heaps::FallbackHeap;
using heaps::FallbackKind;
using heaps::FallbackMisuse;

constexpr size_t large = 8000;
constexpr size_t beyond_mimalloc = size_t{15} << 20;

void name_misuse(FallbackMisuse misuse, const void*) {
    const char* name = misuse == FallbackMisuse::freed_twice ? "freed twice" : "no object";
    (void)!write(STDERR_FILENO, name, strlen(name));
}

class CheckedFallback : public testing::Test {
  protected:
    void SetUp() override {
        heap.choose(FallbackKind::checked_mimalloc);
        heap.on_misuse(name_misuse);
    }
    char* make(size_t bytes, size_t alignment = 0) {
        return static_cast<char*>(heap.allocate({bytes, alignment}));
    }
    char* resize(void* object, size_t bytes) {
        return static_cast<char*>(heap.reallocate(object, {bytes, 0}));
    }

    FallbackHeap heap;
};
using CheckedFallbackDeathTest = CheckedFallback;

TEST_F(CheckedFallback, ServesNothingPlainly) {
    char* object = make(large);
    EXPECT_TRUE(heaps::mimalloc_memory.owns(object));
    EXPECT_FALSE(FallbackHeap::owns_plain(object));
    EXPECT_EQ(heap.plain_end(), 0u);
    EXPECT_FALSE(heap.is_system());
    heap.deallocate(object);
}

TEST_F(CheckedFallback, UncheckedServesPlainly) {
    FallbackHeap unchecked;
    unchecked.choose(FallbackKind::mimalloc);
    char* object = make(large);
    EXPECT_TRUE(FallbackHeap::owns_plain(object));
    heap.deallocate(object);
}

// The entries of plain() find the block of a size by a calculation of their own.
TEST_F(CheckedFallback, PlainObjectsHaveRoomAndAlignment) {
    FallbackHeap unchecked;
    unchecked.choose(FallbackKind::mimalloc);
    const malloom_entries& plain = unchecked.plain();
    for (size_t bytes = 0; bytes < 4096; ++bytes) {
        void* objects[] = {plain.allocate(bytes), plain.allocate_zeroed(1, bytes), plain.create(bytes),
                           plain.allocate(bytes)};
        for (void* object : objects) {
            ASSERT_NE(object, nullptr);
            ASSERT_EQ(reinterpret_cast<uintptr_t>(object) % 16, 0u) << bytes;
            ASSERT_GE(mi_usable_size(object), bytes);
            memset(object, 1, bytes);
        }
        for (void* object : objects) {
            plain.release(object);
        }
    }
}

TEST_F(CheckedFallback, WhatIsNotMimallocsGoesOnToOthers) {
    static const void* left = nullptr;
    malloom_entries others = {};
    others.allocate = [](size_t) -> void* { return &left; };
    others.release = [](void* object) { left = object; };
    FallbackHeap unchecked;
    unchecked.choose(FallbackKind::mimalloc);
    unchecked.leave_others_to(others);
    EXPECT_EQ(unchecked.plain().allocate(beyond_mimalloc), &left);
    int foreign = 0;
    unchecked.plain().release(&foreign);
    EXPECT_EQ(left, &foreign);
}

// What a handler does that comes while its thread has mimalloc's lock, once in each growth.
struct Interruption {
    FallbackHeap* heap;
    std::vector<void*> earlier;
    int of_mimalloc = 0, of_others = 0;

    static void come(void* argument) {
        auto& self = *static_cast<Interruption*>(argument);
        for (size_t bytes = 16; bytes < 100'000; bytes *= 2) {
            void* object = self.heap->allocate({bytes, 0});
            memset(object, 1, bytes);
            (heaps::mimalloc_memory.owns(object) ? self.of_mimalloc : self.of_others) += 1;
            self.heap->deallocate(object);
        }
        for (void* object : self.earlier) {
            self.heap->deallocate(object);
        }
        self.earlier.clear();
    }
};

TEST_F(CheckedFallback, WhoeverInterruptsItIsServedByOthersAndMayGiveBack) {
    FallbackHeap unchecked;
    unchecked.choose(FallbackKind::mimalloc);
    Interruption interruption{&unchecked, {}};
    FallbackHeap::on_growth(Interruption::come, &interruption);
    std::vector<char*> objects;
    // Memory that tests before this one have given back is used first.
    for (unsigned i = 0; i < 3'000 || (interruption.of_others == 0 && i < 100'000); ++i) {
        objects.push_back(static_cast<char*>(unchecked.allocate({large, 0})));
        memset(objects.back(), static_cast<char>(i), large);
        interruption.earlier.push_back(unchecked.allocate({size_t{16} << i % 10, 0}));
    }
    FallbackHeap::on_growth(nullptr, nullptr);
    EXPECT_GT(interruption.of_others, 0);
    for (unsigned i = 0; i < objects.size(); ++i) {
        ASSERT_EQ(objects[i][large - 1], static_cast<char>(i));
        unchecked.deallocate(objects[i]);
    }
    for (void* object : interruption.earlier) {
        unchecked.deallocate(object);
    }
}

TEST_F(CheckedFallback, TakesBackWhatItGaveInEveryWay) {
    for (size_t bytes : {size_t{1}, size_t{9}, size_t{500}, large, size_t{400000}, size_t{3} << 20,
                         beyond_mimalloc - 1, beyond_mimalloc}) {
        heap.deallocate(make(bytes));
        heap.deallocate(heap.allocate_zeroed({bytes, 0}));
        for (size_t alignment = 32; alignment <= size_t{4} << 20; alignment *= 2) {
            heap.deallocate(make(bytes, alignment));
        }
        char* object = make(100);
        for (size_t next : {bytes, size_t{50}, 2 * bytes, bytes + 1, beyond_mimalloc, bytes}) {
            object = resize(object, next);
            EXPECT_GE(heap.usable_size(object), next);
        }
        heap.deallocate(object);
    }
}

TEST_F(CheckedFallback, WithoutMemoryAResizedObjectStays) {
    char* object = make(large);
    EXPECT_EQ(resize(object, SIZE_MAX / 4), nullptr);
    heap.expect_object(object);
    heap.deallocate(object);
}

TEST_F(CheckedFallback, ThreadsFreeEachOthers) {
    constexpr int count = 2000;
    std::vector<void*> objects[2];
    const auto fill = [this](std::vector<void*>& mine) {
        for (int i = 0; i < count; ++i) {
            mine.push_back(heap.allocate({large, i % 3 == 0 ? size_t{64} : 0}));
        }
    };
    const auto empty = [this](std::vector<void*>& others) {
        for (void* object : others) {
            heap.deallocate(object);
        }
    };
    for (int round = 0; round < 3; ++round) {
        std::thread first(fill, std::ref(objects[0]));
        std::thread second(fill, std::ref(objects[1]));
        first.join();
        second.join();
        std::thread third(empty, std::ref(objects[1]));
        empty(objects[0]);
        third.join();
        objects[0].clear();
        objects[1].clear();
    }
}

TEST_F(CheckedFallbackDeathTest, ASecondFreeEndsTheProgram) {
    for (size_t bytes : {size_t{100}, large, size_t{400000}, size_t{3} << 20}) {
        char* object = make(bytes);
        heap.deallocate(object);
        EXPECT_DEATH(heap.deallocate(object), "freed twice") << bytes;
        EXPECT_DEATH(heap.expect_object(object), "freed twice") << bytes;
        EXPECT_DEATH(resize(object, 2 * bytes), "freed twice") << bytes;
    }
    char* aligned = make(192, 64);
    heap.deallocate(aligned);
    EXPECT_DEATH(heap.deallocate(aligned), "freed twice");
}

TEST_F(CheckedFallbackDeathTest, ASecondFreeOfAnotherThreadEndsTheProgram) {
    char* object = make(large);
    std::thread([&] { heap.deallocate(object); }).join();
    EXPECT_DEATH(std::thread([&] { heap.deallocate(object); }).join(), "freed twice");
    EXPECT_DEATH(heap.deallocate(object), "freed twice");
}

TEST_F(CheckedFallbackDeathTest, ThreadsThatFreeTheSameEndTheProgram) {
    const auto race = [this] {
        for (int round = 0; round < 1000; ++round) {
            char* object = make(large);
            std::thread other([&] { heap.deallocate(object); });
            heap.deallocate(object);
            other.join();
        }
    };
    EXPECT_DEATH(race(), "freed twice");
}

TEST_F(CheckedFallbackDeathTest, AFreeOfWhatMovedEndsTheProgram) {
    char* object = make(large);
    char* moved = resize(object, 100 * large);
    ASSERT_NE(moved, object);
    EXPECT_DEATH(heap.deallocate(object), "freed twice");
    char* beyond = resize(moved, beyond_mimalloc);
    EXPECT_DEATH(heap.deallocate(moved), "freed twice");
    heap.deallocate(beyond);
}

TEST_F(CheckedFallbackDeathTest, AFreeWithinAnObjectEndsTheProgram) {
    char* object = make(400000);
    char* aligned = make(1000, 256);
    for (size_t offset : {1, 8, 16, 64, 512}) {
        EXPECT_DEATH(heap.deallocate(object + offset), "no object") << offset;
        EXPECT_DEATH(heap.deallocate(aligned + offset), "no object") << offset;
        EXPECT_DEATH(resize(object + offset, 100), "no object") << offset;
        EXPECT_DEATH(std::thread([&] { heap.deallocate(object + offset); }).join(), "no object") << offset;
    }
    heap.deallocate(object);
    heap.deallocate(aligned);
}

}  // namespace
}  // namespace malloom::tests
