// Heaps of several cores over the memory that they share: one for all, or one for each core, with what finds
// no room there in one for all. Each core has such an object, and all of them divide the memory alike.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "firmware/benchmarks/bins/memory.h"
#include "firmware/boards/riscv_core/cores.h"
#include "include/malloom/bins.h"

namespace malloom::bench::bins {

/// Which lock is whose.
enum Lock : unsigned { lock_of_tasks, lock_of_one_heap, first_lock_of_cores };
constexpr unsigned most_cores = unsigned{BOARD_LOCKS} - first_lock_of_cores;

inline unsigned lock_of(unsigned core) {
    return first_lock_of_cores + core;
}

/// The bins are dlmalloc's.
constexpr size_t lists_bytes = MALLOOM_BINS_LISTS(MALLOOM_BINS_ORIGINAL_COUNT, 1);

/// What is not as it should be when all is done.
struct Left {
    uint32_t living = 0;
    uint32_t damaged = 0;  ///< heaps
};

/// What only a heap does whose bins are laid out anew.
struct LearnsNothing {
    static void has_done(uint32_t /*tasks*/) {}
    static constexpr uint32_t rehashes() { return 0; }
    static constexpr bool runs_anothers_code() { return false; }
};

/// One heap of all cores: its instance, its lists and its objects lie in the shared memory, and each call
/// locks.
class OneHeap : public LearnsNothing {
  public:
    OneHeap(BoardMemory& shared, BoardMemory& own, size_t bytes);

    bool open() const;
    void* allocate(size_t bytes) const { return malloom_bins_alloc(heap_, bytes); }
    void release(void* object) const { malloom_bins_free(heap_, object); }
    Left left() const;
    static constexpr uint32_t overflows() { return 0; }

  private:
    malloom_bins* heap_;
    uint8_t* storage_;
    uint8_t* region_;
    size_t bytes_;
};

/// Memory that is divided: half of it among the cores, in parts of a power of two of bytes. The other half is
/// one heap's, for what finds no room in those.
class Parts {
  public:
    Parts(BoardMemory& shared, BoardMemory& own, size_t bytes);

    /// Of this core, with these settings; false where there is no room.
    bool open(malloom_bins* heap, const malloom_bins_hooks* hooks, uint8_t* storage) const;
    void* overflow(size_t bytes) {
        ++overflows_;
        return one_.allocate(bytes);
    }
    /// To this core's heap, later to what stands for another core's in the list, or to the one of all.
    void release(malloom_bins* mine, malloom_bins* others, void* object) const;
    Left left(const malloom_bins* mine) const;
    uint32_t overflows() const { return overflows_; }
    /// Those of the lock of this core's heap.
    malloom_bins_hooks own_hooks() const;

  private:
    unsigned core_ = board_core();
    unsigned cores_ = board_core_count();
    unsigned shift_;
    uint8_t* begin_;
    OneHeap one_;
    uint32_t overflows_ = 0;
};

/// A core's own heap over its part. Its instance lies where other cores see it, so that they can give back to
/// it by malloom_bins_free_later. This core has no compare-and-swap, so they do so with the heap's lock, and
/// each of its own calls takes that too.
class EachHeap : public LearnsNothing {
  public:
    EachHeap(BoardMemory& shared, BoardMemory& own, size_t bytes);

    bool open();
    void* allocate(size_t bytes) {
        void* const object = malloom_bins_alloc(heap_, bytes);
        return object != nullptr ? object : parts_.overflow(bytes);
    }
    void release(void* object) const { parts_.release(heap_, heaps_, object); }
    Left left() const;
    uint32_t overflows() const { return parts_.overflows(); }

  private:
    malloom_bins* heaps_;
    malloom_bins* heap_;  ///< of those
    uint8_t* storage_;    ///< in the core's own memory, as the hooks
    malloom_bins_hooks* hooks_;
    Parts parts_;
};

/// The same with an instance in the core's own memory, which needs no lock: others give back to a post in
/// shared memory, and the core collects what lies there before it makes an object.
class CollectedHeap : public LearnsNothing {
  public:
    CollectedHeap(BoardMemory& shared, BoardMemory& own, size_t bytes);

    bool open();
    void* allocate(size_t bytes) {
        collect();
        void* const object = malloom_bins_alloc(heap_, bytes);
        return object != nullptr ? object : parts_.overflow(bytes);
    }
    void release(void* object) const { parts_.release(heap_, posts_, object); }
    Left left() const;
    uint32_t overflows() const { return parts_.overflows(); }

  private:
    void collect() const { malloom_bins_collect(heap_, post_, hooks_); }

    malloom_bins* posts_;
    malloom_bins* post_;  ///< of those
    malloom_bins* heap_;
    uint8_t* storage_;
    malloom_bins_hooks* hooks_;
    Parts parts_;
};

/// One heap of all cores, in which insertions are counted. The first core lays out its bins anew and
/// generates their function, into shared memory, where all cores run it; each flushes its cache of
/// instructions when it has the lock and the function is a new one. So none can be in the one before.
class GeneratedHeap {
  public:
    GeneratedHeap(BoardMemory& shared, BoardMemory& own, size_t bytes);

    bool open();
    void* allocate(size_t bytes) const { return malloom_bins_alloc(heap_, bytes); }
    void release(void* object) const { malloom_bins_free(heap_, object); }
    Left left() const;
    static constexpr uint32_t overflows() { return 0; }

    /// A core has done so many tasks.
    void has_done(uint32_t tasks);
    uint32_t rehashes() const { return rehashes_; }
    bool runs_anothers_code() const;

  private:
    static constexpr size_t storage_bytes = MALLOOM_BINS_STORAGE(MALLOOM_BINS_ORIGINAL_COUNT, 1);
    static constexpr size_t code_bytes = 8192;
    static constexpr uint32_t first_rehash = 8;  ///< after so many tasks, then twice as many

    unsigned core_ = board_core();
    malloom_bins* heap_;
    uint8_t* storage_;
    uint8_t* region_;
    size_t bytes_;
    malloom_bins_code code_ = {};
    uint32_t rehashes_ = 0;
    uint32_t next_rehash_ = first_rehash;
};

}  // namespace malloom::bench::bins
