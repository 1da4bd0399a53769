// The idle pages of an arena: how many there may be, and which go back.
#include <algorithm>

#include "runtime/heaps/pools/arena.h"
#include "runtime/platform/memory.h"

namespace malloom::heaps {

using structures::Locked;

namespace {

// Idle pages: so much of what is out, or the least, whichever is more.
constexpr size_t idle_share = 16;
constexpr size_t least_idle = size_t{1} << 20;
// And one open pool of each size class in use, in all so much at most.
constexpr size_t most_open = size_t{2} << 20;
// And where pages that are given back are soon needed again, so much of what is out, and so many bytes: with
// the rest 8 MiB, however little is out. Or what was out lately, if that is more, as the process had it then;
// of that only so much, as a program that asks for nothing any more keeps it.
constexpr size_t slack_share = 4;
constexpr size_t most_slack = size_t{5} << 20;
constexpr size_t most_fallen = size_t{48} << 20;
constexpr size_t peak_fades = 4;  ///< by such a part, each time that as much was taken again

// Ranges of 64 KiB are as fine as a general allocator's.
constexpr unsigned most_orders_less = pool_orders - 3;

}  // namespace

size_t PoolArena::reserve() const {
    const size_t share = out_bytes() / idle_share;
    return share > least_idle ? share : least_idle;
}

size_t PoolArena::slack() const {
    const size_t out = out_bytes();
    const size_t peak = __atomic_load_n(&peak_, __ATOMIC_RELAXED);
    const size_t share = most_slack + out / slack_share;
    const size_t fallen = std::min(peak > out ? peak - out : 0, most_fallen);
    const size_t slack = __atomic_load_n(&slack_, __ATOMIC_RELAXED);
    const size_t most = share > fallen ? share : fallen;
    return slack < most ? slack : most;
}

size_t PoolArena::most_idle() const {
    const size_t open = __atomic_load_n(&open_bytes_, __ATOMIC_RELAXED);
    return reserve() + (open < most_open ? open : most_open) + slack() +
           (huge_pages_.are_preferred() ? block_bytes : 0);
}

// Down to half of what is allowed, so that one call of the system gives many pages back; of what is soon
// needed again little goes.
void PoolArena::trim() {
    if (idle_bytes() > most_idle()) [[unlikely]] {
        const Locked locked(lock);
        adapt();
        const size_t most = most_idle();
        if (idle_bytes() > most) {
            discard_of_some(slack() > most / 2 ? most - most / 8 : most / 2);
        }
    }
}

// A peak that does not come again fades while the program goes on asking for ranges.
void PoolArena::note_taken(size_t bytes) {
    taken_ += bytes;
    if (out_bytes() > peak_) {
        __atomic_store_n(&peak_, out_bytes(), __ATOMIC_RELAXED);
        taken_ = 0;
    } else if (taken_ > peak_) {
        __atomic_store_n(&peak_, peak_ - peak_ / peak_fades, __ATOMIC_RELAXED);
        taken_ = 0;
    }
}

// After as much was given back as may be idle.
void PoolArena::adapt() {
    const uint64_t given_back = pages_.given_back() - seen_given_back_;
    if (given_back < most_idle()) {
        return;
    }
    adapt_slack(given_back);
    adapt_ranges(given_back);
    seen_given_back_ += given_back;
}

// Call sites that have many objects in turn would else have the system clear the same pages again and again.
void PoolArena::adapt_slack(uint64_t given_back) {
    const uint64_t needed_again = pages_.needed_again() - seen_needed_again_;
    const size_t most = most_slack + (peak_ > out_bytes() ? peak_ : out_bytes());
    const size_t more = 2 * slack_ + least_idle;
    const size_t raised = more < most ? more : most;
    __atomic_store_n(&slack_, 2 * needed_again >= given_back ? raised : slack_ / 2, __ATOMIC_RELAXED);
    seen_needed_again_ += needed_again;
}

// The pages of a large range that a few objects stay in are lost to all others: smaller ones become free, and
// are used again as they are.
void PoolArena::adapt_ranges(uint64_t given_back) {
    unsigned less = orders_less_;
    if (2 * given_back_in_use_ >= given_back) {
        less += less < most_orders_less;
        out_when_less_ = peak_ > out_bytes() ? peak_ : out_bytes();
    } else if (8 * given_back_in_use_ < given_back) {
        less -= less != 0;
    }
    __atomic_store_n(&orders_less_, less, __ATOMIC_RELAXED);
    given_back_in_use_ = 0;
}

// A heap that has grown to twice what it was is another one.
void PoolArena::adapt_ranges_to_growth() {
    if (orders_less_ != 0 && out_bytes() / 2 > out_when_less_) {
        __atomic_store_n(&orders_less_, orders_less_ - 1, __ATOMIC_RELAXED);
        out_when_less_ = out_bytes();
    }
}

// Where some are soon needed again, those of pools in use first that have little else: nobody but clients of
// their size class could use them.
void PoolArena::discard_of_some(size_t wanted) {
    if (slack() != 0) {
        discard_of_pools(wanted, [](const Pool& pool) {
            return pool.state() != PoolState::unused && pool.is_mostly_free();
        });
    }
    discard_of_pools(wanted, [](const Pool&) { return true; });
    for (unsigned order = 0; order < pool_orders && idle_bytes() > wanted; ++order) {
        const uintptr_t half = orders_[order].half;
        if (half != 0 && pages_.discard_idle(half, half + range_bytes(order))) {
            huge_pages_.forget(half);
        }
    }
}

template <class IsMeant>
void PoolArena::discard_of_pools(size_t wanted, IsMeant is_meant) {
    for (size_t i = 0; i < count_ && idle_bytes() > wanted; ++i) {
        trimmed_ = trimmed_ + 1 < count_ ? trimmed_ + 1 : 0;
        Pool& pool = pools()[trimmed_];
        if (__atomic_load_n(&pool.idle_pages, __ATOMIC_RELAXED) != 0 && pool.lock.try_lock()) {
            if (is_meant(pool)) {
                discard_idle(pool);
            }
            pool.lock.unlock();
        }
    }
}

void PoolArena::discard_idle(Pool& pool) {
    const uint64_t before = pages_.given_back();
    if (pages_.discard_idle(pool)) {
        huge_pages_.forget(range_of(pool));
    }
    if (pool.state() == PoolState::unused) {
        discard_tables(pool);
    } else {
        given_back_in_use_ += pages_.given_back() - before;
    }
}

// Of a range without a pool: they are zero, as discarded pages read.
void PoolArena::discard_tables(const Pool& pool) {
    const size_t page = platform::page_bytes();
    const auto discard = [&](uintptr_t begin, size_t bytes) {
        const uintptr_t first = platform::round_up(begin, page);
        const uintptr_t end = platform::round_down(begin + bytes, page);
        if (first < end) {
            platform::discard_pages(reinterpret_cast<void*>(first), end - first);
        }
    };
    const size_t bytes = range_bytes(pool.order);
    discard(reinterpret_cast<uintptr_t>(state_of(reinterpret_cast<void*>(range_of(pool)))),
            bytes / granule_bytes);
    discard(reinterpret_cast<uintptr_t>(free_bits(pool)), bytes / bytes_per_bits);
}

}  // namespace malloom::heaps
