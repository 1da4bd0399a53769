#include "runtime/heaps/pools/pages.h"

#include "runtime/platform/memory.h"

namespace malloom::heaps {

bool PoolPages::open(platform::AddressSpan& span, uintptr_t base, size_t bytes) {
    constexpr size_t step_bytes = size_t{64} << 10;
    const size_t page = platform::page_bytes();
    base_ = base;
    page_shift_ = static_cast<unsigned>(__builtin_ctzll(page));
    return counts_.open(span, bytes / page * sizeof(PageCount), page, step_bytes);
}

void PoolPages::close() {
    counts_.close();
    *this = PoolPages();
}

bool PoolPages::reach(size_t usable) {
    return counts_.reach((usable >> page_shift_) * sizeof(PageCount));
}

uint32_t PoolPages::resident(uintptr_t begin, uintptr_t end) const {
    uint32_t pages = 0;
    for (uintptr_t page = begin; page < end; page += page_bytes()) {
        pages += __atomic_load_n(page_of(page), __ATOMIC_RELAXED) != 0;
    }
    return pages;
}

// Any object lies on any page of its pool.
void PoolPages::occupy_all(Pool& pool) {
    for (PageCount* page = page_of(range_of(pool)); page != end_of(pool) && *page <= idle_page; ++page) {
        occupy_page(pool, page, 1);
    }
}

// Apart, as few chunks lie across a border, and the loop above is short without.
int64_t PoolPages::leave_pages(PageCount* page, const PageCount* last) {
    int64_t left = 0;
    for (; page <= last; ++page) {
        left += --*page == idle_page;
    }
    return left;
}

void PoolPages::leave(Pool& pool, const uint64_t* chunks, uint32_t count) {
    if (pool.is_spread) {
        if (pool.out == 0) {
            make_idle(pool);
        }
        return;
    }
    const size_t last_byte = pool.chunk_bytes - 1;
    int64_t left = 0;
    for (uint32_t i = 0; i < count; ++i) {
        PageCount* page = page_of(chunks[i]);
        const PageCount* last = page_of(chunks[i] + last_byte);
        left += --*page == idle_page;
        if (page != last) [[unlikely]] {
            left += leave_pages(page + 1, last);
        }
    }
    if (left != 0) {
        count_idle(pool, left);
    }
}

void PoolPages::leave_all(Pool& pool) {
    if (pool.out != 0) {
        make_idle(pool);
    }
}

void PoolPages::make_idle(Pool& pool) {
    int64_t left = 0;
    for (PageCount* page = page_of(range_of(pool)); page != end_of(pool); ++page) {
        left += *page > idle_page;
        *page = *page != 0 ? idle_page : PageCount{0};
    }
    count_idle(pool, left);
}

// Ahead of what is carved. Idle pages they are, and bounded with them.
void PoolPages::populate(Pool& pool, uintptr_t end) {
    const uintptr_t first = platform::round_down(chunk_at(pool, pool.carved), page_bytes());
    const uintptr_t wanted = platform::round_up(end, page_bytes()) + part_bytes(pool);
    const uintptr_t range_end = range_of(pool) + range_bytes(pool.order);
    const uintptr_t past = wanted < range_end ? wanted : range_end;
    platform::populate_pages(reinterpret_cast<void*>(first), past - first);
    int64_t made = 0;
    for (uintptr_t page = first; page < past; page += page_bytes()) {
        if (*page_of(page) == 0) {
            note_needed(pool, page_of(page));
            *page_of(page) = idle_page;
            ++made;
        }
    }
    count_idle(pool, made);
}

void PoolPages::add_idle(uintptr_t begin, uintptr_t end) {
    for (uintptr_t page = begin; page < end; page += page_bytes()) {
        *page_of(page) = idle_page;
    }
    count_idle(static_cast<int64_t>((end - begin) >> page_shift_));
}

bool PoolPages::discard_idle(Pool& pool) {
    const uint32_t pages = discard(range_of(pool), range_of(pool) + range_bytes(pool.order));
    count_idle(pool, -static_cast<int64_t>(pages));
    return pages != 0;
}

bool PoolPages::discard_idle(uintptr_t begin, uintptr_t end) {
    const uint32_t pages = discard(begin, end);
    count_idle(-static_cast<int64_t>(pages));
    return pages != 0;
}

// Says how many pages went.
uint32_t PoolPages::discard(uintptr_t begin, uintptr_t end) {
    uint32_t pages = 0;
    uintptr_t first = 0;  // of a row of idle ones
    for (uintptr_t at = begin; at <= end; at += page_bytes()) {
        const bool is_idle = at < end && *page_of(at) == idle_page;
        if (is_idle) {
            *page_of(at) = 0;
            first = first != 0 ? first : at;
            ++pages;
        } else if (first != 0) {
            platform::discard_pages(reinterpret_cast<void*>(first), at - first);
            first = 0;
        }
    }
    structures::fetch_add(structures::alone(), given_back_, uint64_t{pages} << page_shift_);
    return pages;
}

void PoolPages::clear(const Pool& pool) {
    for (PageCount* page = page_of(range_of(pool)); page != end_of(pool); ++page) {
        *page = *page != 0 ? idle_page : PageCount{0};
    }
}

void PoolPages::pin(const Pool& pool) {
    constexpr PageCount pinned = 0x8000;
    for (PageCount* page = page_of(range_of(pool)); page != end_of(pool); ++page) {
        *page = pinned;
    }
}

void PoolPages::recount(Pool& pool) {
    pool.idle_pages = 0;
    for (const PageCount* page = page_of(range_of(pool)); page != end_of(pool); ++page) {
        pool.idle_pages += *page == idle_page;
    }
    idle_ += uint64_t{pool.idle_pages} << page_shift_;
}

void PoolPages::recount(uintptr_t begin, uintptr_t end) {
    count_idle(resident(begin, end));
}

}  // namespace malloom::heaps
