// Bin heaps for the threads of a process, an instance each: the bin heap as one of the heaps that fronts
// drive (runtime/heaps/heap.h). Which instance is the calling thread's is the front's to know.
//
// An object belongs to the instance that it came from. Its owner alone goes into that instance, without a
// lock. Others leave the object there (malloom_bins_free_later), and the owner's next call takes it. The
// instance of a thread that has ended waits for the next thread that begins. Until then whoever frees one of
// its objects takes what was left there, under the lock of all.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "include/malloom/bins.h"
#include "runtime/heaps/bins/adapter/bin_regions.h"
#include "runtime/heaps/heap.h"
#include "runtime/structures/freestanding/shared_word.h"
#include "runtime/structures/thread_lock.h"

namespace malloom::heaps {

/// An instance. It outlives its thread.
struct alignas(64) OwnedBins {
    enum class State : uint8_t {
        idle,   ///< no thread has it
        owned,  ///< a thread has it
        frozen  ///< its thread was another one before the fork: nothing of it is used again
    };

    malloom_bins bins;
    uint32_t number;  ///< from 1 on; 0 of one that stands for none
    uint8_t state;    ///< a State, changed under the lock
    bool is_busy;     ///< within the instance: a signal handler that comes then must not go there
    uint8_t rounds;   ///< for the front: of destructors that the ending thread has gone through
    OwnedBins* next_idle;
    const bins::Region* spare;         ///< the last one that became empty; it may be in use again
    structures::RacyCount for_others;  ///< objects of other instances that this one's threads have freed
    uint64_t storage[MALLOOM_BINS_LISTS(MALLOOM_BINS_ORIGINAL_COUNT, 1) / sizeof(uint64_t)];
};

/// How many instances and regions there were, for the line of statistics.
struct ThreadBinsCounts {
    uint32_t instances;
    uint32_t regions;          ///< now
    size_t most_bytes;         ///< of regions, ever at a time
    uint64_t freed_by_others;  ///< objects
};

/// All zero it serves nothing. Thread-safe; and signal handlers may ask, who get nothing where they
/// interrupted the instance that they would have it from. Small requests only: the others are left to the
/// next heap, which has them from the system.
class ThreadBins {
  public:
    static constexpr size_t largest_bytes = size_t{256} << 10;
    static constexpr size_t largest_alignment = size_t{64} << 10;

    /// Over a region as of heaps::RegionHeap, which begins at a page and has some megabytes at least.
    /// Addresses alone will do (platform::reserve_addresses): the pages are opened as they are needed.
    bool open(void* region, size_t bytes);
    /// For tests: no thread has an instance that it will use again.
    void close();
    bool is_open() const { return regions_.covers(instances_); }

    /// Called with the address at the free of what is no living object; `was_deferred`: another thread's, or
    /// a handler's, that is only noticed now. The program ends when it returns. Before the first request.
    using OnMisuse = void (*)(malloom_bins_result what, const void* object, bool was_deferred);
    void on_misuse(OnMisuse ends_program) { on_misuse_ = ends_program; }

    /// An instance for a thread that has none: that of an ended one, or a new one. Null where there are too
    /// many.
    OwnedBins* join();
    /// The thread ends. It and its signal handlers use the instance no more.
    void leave(OwnedBins& self);

    // As of a heap, for the thread that has the instance. One that stands for none is always busy.
    void* allocate(OwnedBins& self, const Request& request);
    void release(OwnedBins& self, void* object);
    bool resize(OwnedBins& self, void* object, const Request& request);
    [[gnu::always_inline]] bool owns(const void* object) const { return regions_.covers(object); }
    size_t usable_size(const void* object) const;

    /// Around a fork, in the thread that forks. In the child the instances of other threads stay as they
    /// were, and what is freed there stays too: what they were doing is not known. Null: it has none.
    void before_fork();
    void after_fork();
    void after_fork_in_child(const OwnedBins* self);

    ThreadBinsCounts counts() const;

  private:
    static constexpr uint32_t most_instances = 1024;
    static constexpr size_t most_region_bytes = size_t{64} << 20;

    [[gnu::noinline]] void* allocate_slow(OwnedBins& self, const Request& request);
    [[gnu::noinline]] void release_others(OwnedBins& self, void* object);
    void clear_idle(OwnedBins& owner, const void* object);
    bool open_instance(OwnedBins& self);
    bool grow(OwnedBins& self);
    void look_after_empty(OwnedBins& owner, const bins::Region& region);
    void remove(OwnedBins& owner, const bins::Region& region);
    void remove_empty(OwnedBins& owner);
    [[gnu::noinline, gnu::cold]] void misused(malloom_bins_result what, const void* object,
                                              bool was_deferred) const;

    BinRegions regions_;
    OwnedBins* instances_ = nullptr;  ///< by number, the first one of nobody
    OwnedBins* idle_ = nullptr;
    uint32_t instances_count_ = 0;
    structures::ThreadLock lock_;   ///< of the regions, and of all about idle instances
    bool locked_for_fork_ = false;  ///< under the lock
    malloom_bins_hooks hooks_ = {};
    OnMisuse on_misuse_ = nullptr;
};

}  // namespace malloom::heaps
