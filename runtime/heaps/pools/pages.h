// The pages of an arena: how many chunks that are out lie on each, and which are idle: resident without any.
#pragma once

#include "runtime/heaps/pools/pool.h"
#include "runtime/structures/alone.h"
#include "runtime/structures/freestanding/shared_word.h"
#include "runtime/structures/growing_range.h"

namespace malloom::heaps {

/// All zero until open succeeds. What takes a pool is under the pool's lock, the rest under the arena's,
/// where nothing else is said.
class PoolPages {
  public:
    /// For the addresses from the base on. False where the span has no room.
    bool open(platform::AddressSpan& span, uintptr_t base, size_t bytes);
    void close();
    /// False without memory.
    bool reach(size_t usable);

    size_t page_bytes() const { return size_t{1} << page_shift_; }
    /// Thread-safe.
    size_t idle_bytes() const { return __atomic_load_n(&idle_, __ATOMIC_RELAXED); }
    /// Pages that are resident, as far as is known. Thread-safe.
    uint32_t resident(uintptr_t begin, uintptr_t end) const;

    /// So many chunks from the first on, neighbours, are out.
    void occupy(Pool& pool, uint32_t first, uint32_t count);
    /// The chunks are not out any more, of which pool.out does not tell either.
    void leave(Pool& pool, const uint64_t* chunks, uint32_t count);
    /// None of the pool's chunks is, of which pool.out says how many were.
    void leave_all(Pool& pool);

    /// Pages become resident a part of a range at a time: so many faults become one system call.
    static constexpr size_t part_bytes(const Pool& pool) { return range_bytes(pool.order) / 8; }
    /// Whether chunks up to the end, which are to be carved, need another part.
    bool needs_part(const Pool& pool, uintptr_t end) const;
    /// Makes it resident, and idle.
    void populate(Pool& pool, uintptr_t end);
    /// Pages that no pool has were made resident, all of these.
    void add_idle(uintptr_t begin, uintptr_t end);

    /// Bytes that were given back so far, and bytes of these that were needed again. Thread-safe.
    uint64_t given_back() const { return __atomic_load_n(&given_back_, __ATOMIC_RELAXED); }
    uint64_t needed_again() const { return __atomic_load_n(&needed_again_, __ATOMIC_RELAXED); }

    /// Gives idle pages back. Says whether there were any.
    bool discard_idle(Pool& pool);
    bool discard_idle(uintptr_t begin, uintptr_t end);

    // In the child of a fork: clear or pin each pool, then begin_recount, then recount all.
    /// No chunk of the pool is out, as far as its pages go; its owner occupies them anew.
    void clear(const Pool& pool);
    /// Its pages never become idle.
    void pin(const Pool& pool);
    void begin_recount() { idle_ = 0; }
    void recount(Pool& pool);
    /// Of a range that no pool has.
    void recount(uintptr_t begin, uintptr_t end);

  private:
    // 0 where the page is not resident as far as is known, else the chunks on it that are out, plus one.
    using PageCount = uint16_t;
    static constexpr PageCount idle_page = 1;

    PageCount* page_of(uintptr_t address) const {
        return reinterpret_cast<PageCount*>(counts_.base()) + ((address - base_) >> page_shift_);
    }
    PageCount* end_of(const Pool& pool) const {
        return page_of(range_of(pool) + range_bytes(pool.order) - 1) + 1;
    }
    void occupy_page(Pool& pool, PageCount* page, uint32_t chunks);
    void note_needed(const Pool& pool, const PageCount* page);
    void occupy_all(Pool& pool);
    [[gnu::noinline]] static int64_t leave_pages(PageCount* page, const PageCount* last);
    void make_idle(Pool& pool);
    void count_idle(Pool& pool, int64_t pages);
    void count_idle(int64_t pages);
    uint32_t discard(uintptr_t begin, uintptr_t end);

    uintptr_t base_ = 0;
    structures::GrowingRange counts_;  ///< PageCount, by pages
    unsigned page_shift_ = 0;
    uint64_t idle_ = 0;  ///< bytes
    uint64_t given_back_ = 0;
    uint64_t needed_again_ = 0;
};

inline void PoolPages::count_idle(int64_t pages) {
    structures::fetch_add(structures::alone(), idle_, static_cast<uint64_t>(pages) << page_shift_);
}

inline void PoolPages::count_idle(Pool& pool, int64_t pages) {
    __atomic_store_n(&pool.idle_pages, pool.idle_pages + static_cast<uint32_t>(pages), __ATOMIC_RELAXED);
    count_idle(pages);
}

// Of a page that is not resident.
inline void PoolPages::note_needed(const Pool& pool, const PageCount* page) {
    const PageCount* touched_end = page_of(range_of(pool) + pool.touched + page_bytes() - 1);
    if (page < touched_end) {
        structures::fetch_add(structures::alone(), needed_again_, uint64_t{page_bytes()});
    }
}

inline void PoolPages::occupy_page(Pool& pool, PageCount* page, uint32_t chunks) {
    if (*page == idle_page) {
        count_idle(pool, -1);
    } else if (*page == 0) {
        note_needed(pool, page);
    }
    *page = static_cast<PageCount>(*page + chunks + (*page == 0));
}

// Chunks across a border count on both pages.
inline void PoolPages::occupy(Pool& pool, uint32_t first, uint32_t count) {
    if (pool.is_spread) {
        occupy_all(pool);
        return;
    }
    const uintptr_t end = chunk_at(pool, first + count);
    const uintptr_t begin = chunk_at(pool, first);
    PageCount* page = page_of(begin);
    for (uintptr_t next = (begin & ~(page_bytes() - 1)) + page_bytes(); next < end; next += page_bytes()) {
        occupy_page(pool, page, index_of(pool, next - 1).index + 1 - first);
        count -= index_of(pool, next).index - first;
        first = index_of(pool, next).index;
        ++page;
    }
    occupy_page(pool, page, count);
}

inline bool PoolPages::needs_part(const Pool& pool, uintptr_t end) const {
    return !pool.is_spread && part_bytes(pool) > page_bytes() && *page_of(end - 1) == 0;
}

}  // namespace malloom::heaps
