// HeapConformance: what every heap promises (runtime/heaps/heap.h), over an instance that the test makes.
//
// A heap joins by an adapter (ConformingHeap), which is OverRegion for those over a region, and by a line in
// conforming_heaps.def.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstring>
#include <iterator>
#include <map>
#include <random>
#include <set>
#include <thread>
#include <vector>

#include "runtime/heaps/heap.h"
#include "runtime/platform/real_allocator.h"

namespace malloom::tests {

/// What the suites need to know of a heap. An adapter is one instance of it; several may live at once.
/// - largest_bytes, largest_alignment: what it claims while it has room.
/// - has_threads: threads may use it at the same time. Each calls end_thread after its last call.
/// - reuses: what was freed last comes again soon.
/// - is_bounded: it is full some day, of objects of largest_bytes, before there are 2^16 of them.
/// - heap: a heaps::Heap. request: one that the heap claims.
template <typename T>
concept ConformingHeap = requires(T& adapter, size_t bytes) {
    requires heaps::Heap<std::remove_reference_t<decltype(adapter.heap())>>;
    { adapter.request(bytes, bytes) } -> std::same_as<heaps::Request>;
    { adapter.end_thread() } -> std::same_as<void>;
    { T::largest_bytes } -> std::convertible_to<size_t>;
    { T::largest_alignment } -> std::convertible_to<size_t>;
    { T::has_threads } -> std::convertible_to<bool>;
    { T::reuses } -> std::convertible_to<bool>;
    { T::is_bounded } -> std::convertible_to<bool>;
};

/// An object and the byte that all of it was filled with.
struct FilledObject {
    unsigned char* start;
    size_t bytes;
    unsigned char mark;

    bool is_whole() const {
        for (size_t i = 0; i < bytes; ++i) {
            if (start[i] != mark) {
                return false;
            }
        }
        return true;
    }
};

template <ConformingHeap H>
class HeapConformance : public testing::Test {
  protected:
    static constexpr size_t default_alignment = 16;
    // What no machine has.
    static constexpr size_t beyond_all_addresses = size_t{1} << 47;
    static constexpr std::array<size_t, 4> impossible_bytes = {SIZE_MAX, SIZE_MAX - 15, SIZE_MAX / 2 + 1,
                                                               SIZE_MAX / 4};

    /// All its room filled; start is null where the heap does not claim it.
    static FilledObject make(H& instance, size_t bytes, size_t alignment = 0) {
        auto* start =
            static_cast<unsigned char*>(instance.heap().allocate(instance.request(bytes, alignment)));
        if (start == nullptr) {
            return {};
        }
        const size_t step = alignment > default_alignment ? alignment : default_alignment;
        EXPECT_EQ(reinterpret_cast<uintptr_t>(start) % step, 0u) << bytes << " " << alignment;
        const size_t usable = instance.heap().usable_size(start);
        EXPECT_GE(usable, bytes);
        EXPECT_TRUE(instance.heap().owns(start));
        static std::atomic<unsigned char> next_mark = 0;
        const unsigned char mark = ++next_mark;
        // Of no bytes none is the program's, whatever room there is: sanitizers say so.
        const size_t filled = bytes == 0 ? 0 : usable;
        memset(start, mark, filled);
        return {start, filled, mark};
    }
    FilledObject make(size_t bytes, size_t alignment = 0) { return make(own, bytes, alignment); }

    static void destroy(H& instance, const FilledObject& object) {
        EXPECT_TRUE(object.is_whole()) << object.bytes;
        instance.heap().deallocate(object.start);
    }
    /// The last one first, as which every heap has the memory again.
    void destroy(std::vector<FilledObject>& objects) {
        for (; !objects.empty(); objects.pop_back()) {
            destroy(own, objects.back());
        }
    }

    H own;
};
TYPED_TEST_SUITE_P(HeapConformance);

TYPED_TEST_P(HeapConformance, ZeroBytesGiveDistinctObjects) {
    const FilledObject first = this->make(0);
    const FilledObject second = this->make(0);
    ASSERT_NE(first.start, nullptr);
    ASSERT_NE(second.start, nullptr);
    EXPECT_NE(first.start, second.start);
    this->destroy(this->own, second);
    this->destroy(this->own, first);
}

TYPED_TEST_P(HeapConformance, EverySizeIsUsableAndAligned) {
    std::vector<FilledObject> objects;
    for (size_t bytes = 1; bytes <= TypeParam::largest_bytes; bytes += 1 + bytes / 16) {
        objects.push_back(this->make(bytes));
        ASSERT_NE(objects.back().start, nullptr) << bytes;
    }
    objects.push_back(this->make(TypeParam::largest_bytes));
    ASSERT_NE(objects.back().start, nullptr);
    this->destroy(objects);
}

TYPED_TEST_P(HeapConformance, EveryAlignmentIsKept) {
    for (size_t alignment = 1; alignment <= TypeParam::largest_alignment; alignment *= 2) {
        for (size_t bytes : {size_t{1}, size_t{100}, TypeParam::largest_bytes / 2}) {
            // Several: the first may be aligned by chance.
            std::vector<FilledObject> objects;
            for (int i = 0; i < 4; ++i) {
                objects.push_back(this->make(bytes, alignment));
                ASSERT_NE(objects.back().start, nullptr) << bytes << " " << alignment;
            }
            this->destroy(objects);
        }
    }
}

TYPED_TEST_P(HeapConformance, WhatNobodyCanHaveLeavesAllAlone) {
    const FilledObject before = this->make(100);
    ASSERT_NE(before.start, nullptr);
    for (const size_t bytes : this->impossible_bytes) {
        for (size_t alignment : {size_t{0}, size_t{64}, size_t{4096}}) {
            EXPECT_EQ(this->make(bytes, alignment).start, nullptr) << bytes << " " << alignment;
        }
    }
    EXPECT_EQ(this->make(100, this->beyond_all_addresses).start, nullptr);
    const FilledObject after = this->make(100);
    ASSERT_NE(after.start, nullptr);
    this->destroy(this->own, after);
    this->destroy(this->own, before);
}

/// Which bytes are whose, kept beside the heap.
class ObjectMap {
  public:
    /// False where it overlaps another.
    bool add(const FilledObject& object) {
        const auto after = objects_.lower_bound(object.start);
        const bool is_free = (after == objects_.end() || object.start + object.bytes <= after->first) &&
                             (after == objects_.begin() ||
                              std::prev(after)->first + std::prev(after)->second.bytes <= object.start);
        objects_[object.start] = object;
        return is_free;
    }
    FilledObject take(size_t number) {
        const auto place = std::next(objects_.begin(), static_cast<ptrdiff_t>(number % objects_.size()));
        const FilledObject object = place->second;
        objects_.erase(place);
        return object;
    }
    size_t count() const { return objects_.size(); }

  private:
    std::map<unsigned char*, FilledObject> objects_;
};

TYPED_TEST_P(HeapConformance, RandomProgramsKeepObjectsApart) {
    constexpr int steps = 400;
    int served = 0;
    int asked = 0;
    ObjectMap objects;
    for (unsigned seed = 1; seed <= 5; ++seed) {
        std::mt19937 random(seed);
        for (int step = 0; step < steps; ++step) {
            if (objects.count() == 0 || (objects.count() < 40 && random() % 5 < 3)) {
                const size_t bytes = random() % (1 + (TypeParam::largest_bytes >> random() % 5));
                const size_t alignment = random() % 8 == 0 ? TypeParam::largest_alignment >> random() % 3 : 0;
                const FilledObject object = this->make(bytes, alignment);
                ++asked;
                if (object.start != nullptr) {
                    ++served;
                    ASSERT_TRUE(objects.add(object)) << seed << " " << step;
                }
            } else {
                this->destroy(this->own, objects.take(random()));
            }
        }
        while (objects.count() != 0) {
            this->destroy(this->own, objects.take(objects.count() - 1));
        }
    }
    // It may leave requests to the next heap, but not most.
    EXPECT_GT(2 * served, asked);
}

REGISTER_TYPED_TEST_SUITE_P(HeapConformance, ZeroBytesGiveDistinctObjects, EverySizeIsUsableAndAligned,
                            EveryAlignmentIsKept, WhatNobodyCanHaveLeavesAllAlone,
                            RandomProgramsKeepObjectsApart);

/// Of heaps::ClaimingHeap: those that others come after.
template <ConformingHeap H>
class ClaimingHeapConformance : public HeapConformance<H> {};
TYPED_TEST_SUITE_P(ClaimingHeapConformance);

TYPED_TEST_P(ClaimingHeapConformance, OwnsItsObjectsAndNoOthers) {
    TypeParam other;
    static int of_program = 0;
    int on_stack = 0;
    void* real = platform::real::allocate(100);
    const FilledObject mine = this->make(100);
    const FilledObject others = this->make(other, 100);
    ASSERT_TRUE(mine.start != nullptr && others.start != nullptr);
    auto& heap = this->own.heap();
    EXPECT_TRUE(heap.owns(mine.start) && !heap.owns(others.start));
    EXPECT_TRUE(other.heap().owns(others.start) && !other.heap().owns(mine.start));
    for (const void* foreign : {static_cast<const void*>(nullptr), static_cast<const void*>(&of_program),
                                static_cast<const void*>(&on_stack), static_cast<const void*>(real),
                                static_cast<const void*>(this), reinterpret_cast<const void*>(UINTPTR_MAX)}) {
        EXPECT_FALSE(heap.owns(foreign)) << foreign;
    }
    this->destroy(this->own, mine);
    this->destroy(other, others);
    platform::real::deallocate(real);
}

TYPED_TEST_P(ClaimingHeapConformance, TwoInstancesDoNotMix) {
    TypeParam other;
    TypeParam* const instances[] = {&this->own, &other};
    std::mt19937 random(3);
    ObjectMap objects;
    std::map<unsigned char*, unsigned> holders;
    for (int step = 0; step < 600; ++step) {
        if (objects.count() == 0 || (objects.count() < 60 && random() % 2 == 0)) {
            const unsigned holder = random() % 2;
            const FilledObject object =
                this->make(*instances[holder], random() % (1 + (TypeParam::largest_bytes >> random() % 5)));
            if (object.start != nullptr) {
                ASSERT_TRUE(objects.add(object)) << step;
                ASSERT_FALSE(instances[1 - holder]->heap().owns(object.start)) << step;
                holders[object.start] = holder;
            }
        } else {
            const FilledObject object = objects.take(random());
            this->destroy(*instances[holders[object.start]], object);
        }
    }
    while (objects.count() != 0) {
        const FilledObject object = objects.take(objects.count() - 1);
        this->destroy(*instances[holders[object.start]], object);
    }
}

TYPED_TEST_P(ClaimingHeapConformance, AnObjectThatStaysHasItsRoom) {
    auto& heap = this->own.heap();
    const FilledObject neighbour = this->make(TypeParam::largest_bytes / 4);
    for (size_t wanted = 1; wanted <= TypeParam::largest_bytes; wanted += 1 + wanted / 4) {
        FilledObject object = this->make(TypeParam::largest_bytes / 4);
        const FilledObject behind = this->make(TypeParam::largest_bytes / 4);
        ASSERT_TRUE(object.start != nullptr && behind.start != nullptr) << wanted;
        const bool stays = heap.resize(object.start, this->own.request(wanted, 0));
        EXPECT_TRUE(behind.is_whole()) << wanted;
        const size_t usable = heap.usable_size(object.start);
        if (stays) {
            EXPECT_GE(usable, wanted);
            object.bytes = std::min(object.bytes, usable);
        } else {
            EXPECT_EQ(usable, object.bytes) << wanted;
        }
        EXPECT_TRUE(object.is_whole()) << wanted;
        memset(object.start, object.mark, usable);
        this->destroy(this->own, behind);
        this->destroy(this->own, object);
    }
    for (const size_t bytes : this->impossible_bytes) {
        EXPECT_FALSE(heap.resize(neighbour.start, this->own.request(bytes, 0))) << bytes;
    }
    this->destroy(this->own, neighbour);
}

REGISTER_TYPED_TEST_SUITE_P(ClaimingHeapConformance, OwnsItsObjectsAndNoOthers, TwoInstancesDoNotMix,
                            AnObjectThatStaysHasItsRoom);

/// Of heaps that use memory again at once.
template <ConformingHeap H>
class ReusingHeapConformance : public HeapConformance<H> {};
TYPED_TEST_SUITE_P(ReusingHeapConformance);

TYPED_TEST_P(ReusingHeapConformance, FreedMemoryServesAgain) {
    constexpr int rounds = 50;
    constexpr int at_once = 20;
    std::set<void*> places;
    for (int round = 0; round < rounds; ++round) {
        std::vector<FilledObject> objects;
        for (int i = 0; i < at_once; ++i) {
            objects.push_back(this->make(64));
            ASSERT_NE(objects.back().start, nullptr) << round;
            places.insert(objects.back().start);
        }
        this->destroy(objects);
    }
    EXPECT_LT(places.size(), size_t{rounds * at_once / 4});
}

REGISTER_TYPED_TEST_SUITE_P(ReusingHeapConformance, FreedMemoryServesAgain);

/// Of heaps that the test can fill.
template <ConformingHeap H>
class BoundedHeapConformance : public HeapConformance<H> {};
TYPED_TEST_SUITE_P(BoundedHeapConformance);

TYPED_TEST_P(BoundedHeapConformance, AFullHeapKeepsItsObjectsAndServesAgain) {
    size_t most = 0;
    for (int round = 0; round < 2; ++round) {
        std::vector<FilledObject> objects;
        while (objects.size() < (size_t{1} << 16)) {
            const FilledObject object = this->make(TypeParam::largest_bytes);
            if (object.start == nullptr) {
                break;
            }
            objects.push_back(object);
        }
        EXPECT_LT(objects.size(), size_t{1} << 16);
        EXPECT_GT(objects.size(), most / 2) << round;
        most = std::max(most, objects.size());
        EXPECT_EQ(this->make(TypeParam::largest_bytes).start, nullptr);
        this->destroy(objects);
    }
}

REGISTER_TYPED_TEST_SUITE_P(BoundedHeapConformance, AFullHeapKeepsItsObjectsAndServesAgain);

/// Of heaps that threads may share.
template <ConformingHeap H>
class ThreadedHeapConformance : public HeapConformance<H> {
  protected:
    /// Objects go through a mailbox, so that most are freed by another thread than the one that got them.
    void hand_over(std::vector<std::atomic<FilledObject*>>& mailbox, unsigned seed,
                   std::atomic<int>& served) {
        std::mt19937 random(seed);
        for (int step = 0; step < 2000; ++step) {
            auto* letter =
                new FilledObject(this->make(random() % (1 + std::min(H::largest_bytes, size_t{700}))));
            if (letter->start == nullptr) {
                delete letter;
                continue;
            }
            ++served;
            take_out(mailbox[random() % mailbox.size()].exchange(letter));
        }
        this->own.end_thread();
    }
    void take_out(FilledObject* letter) {
        if (letter != nullptr) {
            this->destroy(this->own, *letter);
            delete letter;
        }
    }
};
TYPED_TEST_SUITE_P(ThreadedHeapConformance);

TYPED_TEST_P(ThreadedHeapConformance, ThreadsFreeWhatOthersGot) {
    std::vector<std::atomic<FilledObject*>> mailbox(32);
    std::atomic<int> served = 0;
    // Those that come later take over what earlier ones left.
    for (unsigned round = 0; round < 2; ++round) {
        std::vector<std::thread> threads;
        for (unsigned i = 0; i < 4; ++i) {
            threads.emplace_back([&, i] { this->hand_over(mailbox, 4 * round + i, served); });
        }
        for (auto& thread : threads) {
            thread.join();
        }
    }
    for (auto& letter : mailbox) {
        this->take_out(letter.exchange(nullptr));
    }
    EXPECT_GT(served, 2000);
}

REGISTER_TYPED_TEST_SUITE_P(ThreadedHeapConformance, ThreadsFreeWhatOthersGot);

}  // namespace malloom::tests
