// A pool: chunks of one size in one address range, and what is known about it. Descriptors lie apart from the
// ranges, so chunks have no headers and pools no first page that all would touch.
//
// A pool serves one thread, its owner. It is
// - serving: it has free chunks, or its owner is using it up;
// - aside: used up; the first thread that frees one of its chunks notes it for the owner;
// - orphaned: its owner has ended; a thread that needs its family, or frees one of its chunks, adopts it.
#pragma once

#include <stddef.h>
#include <stdint.h>

namespace malloom::heaps {

struct PoolThread;

/// A free chunk; the link lies in its first word.
struct PoolChunk {
    PoolChunk* next;
};

/// The chunks that threads other than the owner have freed: a stack in one word, with its length, so that
/// taking it in needs no walk. Lock-free.
class ForeignChunks {
  public:
    /// What a push leaves to do.
    struct Duty {
        bool note;   ///< tell the owner: the pool was aside
        bool empty;  ///< all chunks are here: give their pages back, then say set_emptied
    };

    /// `start` is the pool's; with `empty_at` chunks the pool counts as empty.
    Duty push(uintptr_t start, PoolChunk* chunk, uint32_t empty_at) {
        uint64_t word = load();
        for (;;) {
            const uint64_t count = (word >> count_shift) + 1;
            chunk->next = top(word, start);
            const uint64_t offset = reinterpret_cast<uintptr_t>(chunk) - start;
            const uint64_t pushed = count << count_shift | offset | (count == empty_at ? emptying : 0);
            if (replace(word, pushed)) {
                return {(word & aside) != 0, count == empty_at};
            }
        }
    }

    /// Takes all in; null where there are none, or they are being emptied.
    PoolChunk* take(uintptr_t start, uint64_t& count) {
        uint64_t word = load();
        while (word >> count_shift != 0 && (word & (emptying | emptied)) == 0) {
            if (replace(word, 0)) {
                count = word >> count_shift;
                return top(word, start);
            }
        }
        return nullptr;
    }

    /// Of a pool that is used up; false where something was pushed before.
    bool set_aside() {
        uint64_t none = 0;
        return replace(none, aside);
    }
    /// The opposite; false where something was pushed since.
    bool bring_back() {
        uint64_t word = aside;
        return replace(word, 0);
    }

    uint64_t count() const { return load() >> count_shift; }
    void set_emptied() { __atomic_fetch_or(&word_, emptied, __ATOMIC_RELEASE); }
    bool is_emptied() const { return (load() & emptied) != 0; }
    bool is_emptying() const { return (load() & emptying) != 0; }
    void clear() { __atomic_store_n(&word_, 0, __ATOMIC_RELAXED); }

  private:
    // Count (32 bits), offset of the top from the pool's start (28), flags (4, as chunks lie 16 bytes apart).
    static constexpr unsigned count_shift = 32;
    static constexpr uint64_t aside = 1;
    static constexpr uint64_t emptying = 2;
    static constexpr uint64_t emptied = 4;
    static constexpr uint64_t offset_mask = 0xfffffff0;

    static PoolChunk* top(uint64_t word, uintptr_t start) {
        return word >> count_shift == 0 ? nullptr
                                        : reinterpret_cast<PoolChunk*>(start + (word & offset_mask));
    }
    uint64_t load() const { return __atomic_load_n(&word_, __ATOMIC_ACQUIRE); }
    bool replace(uint64_t& expected, uint64_t desired) {
        return __atomic_compare_exchange_n(&word_, &expected, desired, false, __ATOMIC_ACQ_REL,
                                           __ATOMIC_ACQUIRE);
    }

    uint64_t word_;
};

enum class PoolState : uint8_t { unused, serving, aside, orphaned };

/// All zero is an unused one. Two lines: what its owner uses all the time, and what others may write.
struct alignas(128) Pool {
    PoolChunk* free;  ///< top of the stack of free chunks
    uintptr_t start;  ///< the first chunk
    uint64_t span;    ///< bytes of all chunks; chunks lie at start + n * chunk_bytes below it
    uint64_t living;  ///< chunks in use, in its owner's magazine, and freed by others and not taken in
    uint32_t family;
    uint32_t chunk_bytes;
    uint32_t carved;  ///< chunks that were ever given out; the rest is untouched

    alignas(64) ForeignChunks foreign;
    PoolThread* owner;    ///< null while it is orphaned
    Pool* noted_next;     ///< on the owner's stack of noted pools; on the arena's lists; of orphans
    Pool* owned_next;     ///< of its owner's pools of the family
    Pool* owned_before;   ///< the same, backwards
    Pool* listed_next;    ///< of those with free chunks
    Pool* listed_before;  ///< the same, backwards
    uint8_t populated;    ///< eighths of the range that are resident, if they became so at once
    uint8_t order;        ///< the range has smallest_range << order bytes
    PoolState state;
    bool is_listed;  ///< among those with free chunks: of its owner, or of the family's orphans

    static constexpr unsigned parts = 8;

    uint32_t capacity() const { return static_cast<uint32_t>(span / chunk_bytes); }
};
static_assert(sizeof(Pool) == 128);

inline bool holds(const Pool& pool, const void* object) {
    const uintptr_t offset = reinterpret_cast<uintptr_t>(object) - pool.start;
    return offset < pool.span && offset % pool.chunk_bytes == 0;
}

/// Whether no chunk is in use, those included that others have freed and nobody has taken in.
inline bool is_empty(const Pool& pool) {
    return pool.living == pool.foreign.count();
}

/// Takes the top of the stack. Null where it is empty, or its link was overwritten and leads out of the pool.
inline void* pop(Pool& pool) {
    PoolChunk* top = pool.free;
    if (reinterpret_cast<uintptr_t>(top) - pool.start >= pool.span) {
        return nullptr;
    }
    pool.free = top->next;
    return top;
}

inline void push(Pool& pool, void* object) {
    auto* chunk = static_cast<PoolChunk*>(object);
    chunk->next = pool.free;
    pool.free = chunk;
}

}  // namespace malloom::heaps
