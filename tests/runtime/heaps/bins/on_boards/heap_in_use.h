// A bin heap whose objects are known, for tests that run everywhere: without a library, and without memory
// but the caller's.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "include/malloom/bins.h"
#include "tests/runtime/heaps/bins/on_boards/expectations.h"
#include "tests/runtime/heaps/bins/on_boards/surroundings.h"

namespace malloom::tests::on_boards {

/// An object, and the byte that all of it is filled with.
struct Living {
    unsigned char* begin;
    size_t bytes;  ///< that its owner may use
    unsigned char mark;
};

inline bool is_filled(const unsigned char* begin, size_t bytes, unsigned char with) {
    for (size_t at = 0; at < bytes; ++at) {
        if (begin[at] != with) {
            return false;
        }
    }
    return true;
}

inline void fill(unsigned char* begin, size_t bytes, unsigned char with) {
    for (size_t at = 0; at < bytes; ++at) {
        begin[at] = with;
    }
}

/// What tests choose of malloom_bins_settings. Compilers call memset for what is larger, and boards have
/// none.
struct Shape {
    size_t alignment = 0;
    unsigned options = 0;
    unsigned levels = 0;
    unsigned bins = 0;
    const uint32_t* begins = nullptr;
    unsigned most_steps = 0;
    bool is_quiet = false;  ///< without hooks
};

inline malloom_bins_settings settings_of(const Shape& shape, void* storage, size_t storage_bytes,
                                         const malloom_bins_hooks* hooks) {
    return {shape.alignment,  shape.bins,   0,     shape.begins, nullptr,      shape.options,
            shape.most_steps, shape.levels, hooks, storage,      storage_bytes};
}

/// Each call is looked at, and each object from when it comes until it goes. An instance lies where it is:
/// its hooks have its address.
class HeapInUse {
  public:
    static constexpr unsigned most_objects = 128, most_levels = 3;

    /// With storage for as many bins as dlmalloc has, and hooks. Storage is left as it was.
    HeapInUse(const Surroundings& here, Expectations& expectations, const Shape& shape)
        : here_(here), expectations_(expectations), hooks_{this, lock, unlock, failed, trace} {
        const malloom_bins_settings settings =
            settings_of(shape, storage_, sizeof storage_, shape.is_quiet ? nullptr : &hooks_);
        expect(malloom_bins_open(&heap, &settings) == MALLOOM_BINS_OK, "a heap opens", shape.options);
    }
    ~HeapInUse() { expect(locks == unlocks, "what is locked is unlocked", locks); }
    HeapInUse(const HeapInUse&) = delete;
    HeapInUse& operator=(const HeapInUse&) = delete;

    bool expect(bool holds, const char* what, size_t about = 0) {
        return expectations_.expect(holds, what, about);
    }

    /// Of the memory that there is, from `from` on.
    void add(size_t from, size_t bytes, unsigned level = 0) {
        expect(malloom_bins_add_region(&heap, here_.memory + from, bytes, level) == MALLOOM_BINS_OK,
               "a region is taken", bytes);
    }

    /// Null where there is no room.
    void* allocate(size_t bytes) { return take(malloom_bins_alloc(&heap, bytes), bytes, heap.granule); }
    void* allocate_aligned(size_t alignment, size_t bytes) {
        return take(malloom_bins_aligned(&heap, alignment, bytes), bytes, alignment);
    }
    void* allocate_zeroed(size_t count, size_t bytes) {
        auto* object = static_cast<unsigned char*>(malloom_bins_calloc(&heap, count, bytes));
        expect(object == nullptr || is_filled(object, count * bytes, 0), "it is zeroed", count * bytes);
        return take(object, count * bytes, heap.granule);
    }

    /// Null where there is no room; the object is as it was then.
    void* resize(unsigned which, size_t bytes) {
        const Living before = living_[which];
        auto* moved = static_cast<unsigned char*>(malloom_bins_realloc(&heap, before.begin, bytes));
        if (moved == nullptr) {
            expect_filled(before);
            return nullptr;
        }
        const size_t kept = bytes < before.bytes ? bytes : before.bytes;
        expect(is_filled(moved, kept, before.mark), "realloc keeps the bytes", bytes);
        forget(which);
        return take(moved, bytes, heap.granule);
    }

    void release(unsigned which) { give_back(which, malloom_bins_free); }
    void release_later(unsigned which) { give_back(which, malloom_bins_free_later); }
    void release_all() {
        while (count_ != 0) {
            release(count_ - 1);
        }
    }

    void expect_whole() {
        expect(malloom_bins_check(&heap) == MALLOOM_BINS_OK, "the heap is whole", count_);
        for (unsigned which = 0; which < count_; ++which) {
            expect_filled(living_[which]);
        }
    }
    /// After the last object has gone: a chunk a region.
    void expect_empty(size_t regions) {
        expect_whole();
        const malloom_bins_statistics found = statistics();
        expect(found.living_objects == 0, "nothing lives in an empty heap", found.living_objects);
        expect(found.free_chunks == regions, "free neighbours join", found.free_chunks);
    }

    malloom_bins_statistics statistics() const {
        malloom_bins_statistics found;
        malloom_bins_statistics_of(&heap, &found);
        return found;
    }
    /// Whether the owner was told of such a failure since this was asked last.
    bool has_heard(malloom_bins_result why) {
        const bool has = (heard_ >> why & 1) != 0;
        heard_ = 0;
        return has;
    }
    unsigned count() const { return count_; }
    const Living& living(unsigned which) const { return living_[which]; }
    bool is_full() const { return count_ == most_objects; }

    malloom_bins heap;
    size_t locks = 0, unlocks = 0, failures = 0, made = 0, freed = 0;

  private:
    static HeapInUse& of(void* context) { return *static_cast<HeapInUse*>(context); }
    static void lock(void* context) { ++of(context).locks; }
    static void unlock(void* context) { ++of(context).unlocks; }
    static void failed(void* context, malloom_bins_result why, uintptr_t) {
        ++of(context).failures;
        of(context).heard_ |= 1U << why;
    }
    static void trace(void* context, const void*, size_t bytes) {
        ++(bytes != 0 ? of(context).made : of(context).freed);
    }

    void* take(void* object, size_t asked, size_t alignment) {
        if (object == nullptr) {
            return nullptr;
        }
        auto* begin = static_cast<unsigned char*>(object);
        const size_t bytes = malloom_bins_usable_size(&heap, object);
        expect(bytes >= asked, "an object is as large as was asked", asked);
        expect(reinterpret_cast<uintptr_t>(object) % alignment == 0, "an object is aligned", alignment);
        expect(begin >= here_.memory && begin + bytes <= here_.memory + here_.bytes,
               "an object lies in the heap's memory", bytes);
        expect(malloom_bins_owns(&heap, object) != 0, "the heap owns its objects", asked);
        for (unsigned other = 0; other < count_; ++other) {
            const Living& there = living_[other];
            expect(begin + bytes <= there.begin || there.begin + there.bytes <= begin,
                   "objects do not overlap", asked);
        }
        if (expect(!is_full(), "the test has room for its objects", count_)) {
            living_[count_++] = {begin, bytes, ++mark_};
            fill(begin, bytes, mark_);
        }
        return object;
    }

    void give_back(unsigned which, malloom_bins_result (*free)(malloom_bins*, void*)) {
        const Living object = living_[which];
        expect_filled(object);
        forget(which);
        const malloom_bins_result said = free(&heap, object.begin);
        expect(said == MALLOOM_BINS_OK, "an object is freed", said);
    }

    void forget(unsigned which) { living_[which] = living_[--count_]; }
    void expect_filled(const Living& object) {
        expect(is_filled(object.begin, object.bytes, object.mark), "nobody writes into another's object",
               object.bytes);
    }

    const Surroundings& here_;
    Expectations& expectations_;
    malloom_bins_hooks hooks_;
    unsigned heard_ = 0;  ///< a bit for each kind of failure
    unsigned count_ = 0;
    unsigned char mark_ = 0;
    Living living_[most_objects];
    uint64_t storage_[MALLOOM_BINS_STORAGE(MALLOOM_BINS_ORIGINAL_COUNT, most_levels) / sizeof(uint64_t) + 1];
};

}  // namespace malloom::tests::on_boards
