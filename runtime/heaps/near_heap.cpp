#include "runtime/heaps/near_heap.h"

#include "runtime/platform/memory.h"

namespace malloom::heaps {

namespace {

// Chunks of a run by its generation: a sibling that finds its run used up begins one of the next generation.
// Of a friend's first objects nobody knows whether there will be others.
constexpr uint16_t run_chunks[] = {2, 4, 8, 8, 16, 16, 32, 32, 64, 64, 128, 128, 256, 256, 512};
constexpr unsigned last_generation = sizeof run_chunks / sizeof *run_chunks - 1;
constexpr size_t longest_run_bytes = 16 << 10;
constexpr size_t slack_bytes = 64 << 10;

constexpr size_t marks_step = size_t{1} << 20;

// glibc: a word more, in steps of 16 bytes.
size_t usual_chunk(size_t bytes) {
    return platform::round_up(bytes + sizeof(uintptr_t), 16);
}

}  // namespace

constinit NearHeap::Size NearHeap::sizes_[sizes_count] = {};
constinit structures::GrowingRange NearHeap::marks_;

uint32_t NearHeap::add(size_t bytes) {
    if (bytes < least_bytes || bytes > largest_bytes) {
        return none;
    }
    const auto number = static_cast<uint32_t>((bytes - 1) / step);
    uint32_t& family = sizes_[number].family;
    uint32_t nobodys = 0;
    if (__atomic_load_n(&family, __ATOMIC_ACQUIRE) == nobodys) {
        const uint32_t made = PoolHeap::add_for_runs(bytes);
        // Where two threads race, one family stays empty.
        if (made == PoolHeap::none || (!__atomic_compare_exchange_n(&family, &nobodys, made, false,
                                                                    __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE) &&
                                       nobodys == 0)) {
            return none;
        }
    }
    return number;
}

// Of a thread without pools.
void* NearHeap::allocate_first(uint32_t number) {
    PoolThread* self = own_thread();
    if (self == nullptr || number >= sizes_count) {
        return nullptr;
    }
    const BusyScope busy(self);
    return begin_run(*self, sizes_[number], 0);
}

// Room for the marks of the pool, and none left of what was there before. Under the arena's lock, as another
// thread may be opening the same.
bool NearHeap::prepare_marks(const Pool& pool) {
    const structures::Locked locked(pool_arena.lock);
    const uintptr_t end = range_of(pool) + range_bytes(pool.order);
    const size_t most = pool_arena.bytes() / bytes_per_mark + platform::page_bytes();
    if ((marks_.bytes() == 0 && !marks_.open(most, platform::page_bytes(), marks_step)) ||
        !marks_.reach((end - pool_arena.base()) / bytes_per_mark + 1)) {
        return false;
    }
    for (uintptr_t at = range_of(pool); at < end; at += sizeof(uint64_t) * bytes_per_mark) {
        __atomic_store_n(reinterpret_cast<uint64_t*>(place_of_mark(at)), 0, __ATOMIC_RELAXED);
    }
    return true;
}

// What waits is no more memory than the C library's headers and rounding would take, and an eighth.
uint32_t NearHeap::wanted_chunks(const Size& size, unsigned generation, size_t chunk_bytes) {
    const size_t usual = usual_chunk((static_cast<size_t>(&size - sizes_) + 1) * step);
    if (size.taken.now() * (chunk_bytes + 1) > size.used.now() * usual * 9 / 8 + slack_bytes) {
        return 1;
    }
    const uint32_t wanted = run_chunks[generation];
    const auto longest = static_cast<uint32_t>(longest_run_bytes / chunk_bytes);
    return wanted < longest ? wanted : longest;
}

void* NearHeap::begin_run(PoolThread& self, Size& size, unsigned generation) {
    const size_t chunk_bytes = PoolHeap::chunk_bytes(size.family);
    if (chunk_bytes == 0) {
        return nullptr;
    }
    uint32_t count = wanted_chunks(size, generation, chunk_bytes);
    void* object = PoolHeap::take_run(self, size.family, count);
    if (object == nullptr) {
        return nullptr;
    }
    const auto first = reinterpret_cast<uintptr_t>(object);
    const Pool& pool = *pool_arena.find(object);
    if (first == pool.start && !prepare_marks(pool)) {
        __atomic_store_n(&size.family, PoolHeap::none, __ATOMIC_RELEASE);
        return object;
    }
    size.used.add(1);
    size.taken.add(count);
    // Who got less than wanted is due for it the next time.
    const bool is_short = count < run_chunks[generation];
    const unsigned mark = is_short && generation > 0 ? generation - 1 : generation;
    for (uint32_t i = 0; i < count; ++i) {
        set_mark(first + i * chunk_bytes, mark | (i == 0 ? 0U : waits));
    }
    return object;
}

void* NearHeap::begin_next_run(PoolThread& self, Size& size, uintptr_t sibling) {
    const unsigned generation = mark_of(sibling) & ~waits;
    return begin_run(self, size, generation < last_generation ? generation + 1 : generation);
}

}  // namespace malloom::heaps
