#include "runtime/heaps/colocation/colocation_heap.h"

#include "checks/check.h"
#include "runtime/platform/memory.h"

namespace malloom::heaps {

namespace {

// Chunks of a run by its generation, where nothing was learned: of a companion's first objects nobody knows
// whether there will be others.
constexpr uint16_t run_chunks[] = {2, 4, 8, 8, 16, 16, 32, 32, 64, 64, 128, 128, 256, 256, 512};
constexpr uint32_t longest_first_run = 32;
constexpr uint64_t fewest_companions = 32;
constexpr size_t longest_run_bytes = 16 << 10;
constexpr size_t slack_bytes = 64 << 10;

constexpr size_t notes_step = size_t{1} << 20;

// glibc: a word more, in steps of 16 bytes.
size_t usual_chunk(size_t bytes) {
    return platform::round_up(bytes + sizeof(uintptr_t), 16);
}

}  // namespace

bool ColocationHeap::has_reached(structures::GrowingRange& range, size_t bytes_per_byte,
                                 size_t arena_bytes) const {
    const size_t most = arena().bytes() / bytes_per_byte + platform::page_bytes();
    return (range.bytes() != 0 || range.open(most, platform::page_bytes(), notes_step)) &&
           range.reach(arena_bytes / bytes_per_byte + 1);
}

uint32_t ColocationHeap::add(size_t bytes) {
    if (bytes < least_bytes || bytes > largest_bytes) {
        return none;
    }
    const auto number = static_cast<uint32_t>((bytes - 1) / step);
    Size& size = sizes_[number];
    if (__atomic_load_n(&size.chunk_bytes, __ATOMIC_ACQUIRE) == 0) {
        const uint32_t client = pools_.add(bytes);
        if (client == PoolHeap::none) {
            return none;
        }
        // Where two threads race, one client stays without pools; both write the same otherwise.
        __atomic_store_n(&size.client, client, __ATOMIC_RELAXED);
        __atomic_store_n(&size.chunk_bytes, static_cast<uint32_t>(pools_.chunk_bytes(client)),
                         __ATOMIC_RELEASE);
    }
    return number;
}

// The largest power of two, so that runs end where lines do.
void ColocationHeap::expect(uint32_t number, uint32_t siblings) {
    uint32_t chunks = 0;
    for (uint32_t next = run_chunks[0]; next <= siblings && next <= longest_first_run; next *= 2) {
        chunks = next;
    }
    __atomic_store_n(&sizes_[number].first_run, chunks, __ATOMIC_RELAXED);
}

// The mean, but where a few companions have most objects, what the run gave that the others end with.
uint32_t ColocationHeap::siblings(uint32_t number) const {
    const Size& size = sizes_[number];
    const uint64_t companions = size.begun[0].now();
    if (companions < fewest_companions) {
        return 0;
    }
    uint64_t reached = chunks_of_run(size, 0);
    for (unsigned next = 1; next < generations && 2 * size.begun[next].now() >= companions; ++next) {
        reached += chunks_of_run(size, next);
    }
    const uint64_t mean = size.used.now() / companions;
    return static_cast<uint32_t>(mean < reached ? mean : reached);
}

// Room for what is kept of the new pool's chunks, as far as there is memory. Under the arena's lock, as
// another thread may be opening the same.
void ColocationHeap::prepare(const Pool& pool) {
    const structures::Locked locked(pools_.arena().lock);
    const uintptr_t begin = range_of(pool);
    const size_t end = begin + range_bytes(pool.order) - arena().base();
    if (has_reached(marks_, bytes_per_mark, end) &&
        has_reached(waiting_, PoolHeap::chunk_alignment * 8, end)) {
        if (end > waiting_bytes_) {
            __atomic_store_n(&waiting_bytes_, end, __ATOMIC_RELEASE);
        }
        // Left over from the range's last pool. Others may be looking.
        for (size_t bit = bit_of(begin); bit < end / PoolHeap::chunk_alignment; bit += 64) {
            __atomic_store_n(waiting_words() + bit / 64, 0, __ATOMIC_RELAXED);
        }
    }
}

unsigned ColocationHeap::mark_of(uintptr_t chunk) const {
    const size_t index = index_of_mark(chunk);
    return index < marks_.usable() ? __atomic_load_n(marks() + index, __ATOMIC_RELAXED) : 0;
}
void ColocationHeap::set_mark(uintptr_t chunk, unsigned mark) {
    const size_t index = index_of_mark(chunk);
    if (index < marks_.usable()) {
        __atomic_store_n(marks() + index, static_cast<uint8_t>(mark), __ATOMIC_RELAXED);
    }
}

// Chunks of a run if there is room for it. After a first run of learned length most companions get few
// objects more.
uint32_t ColocationHeap::chunks_of_run(const Size& size, unsigned generation) {
    const uint32_t first = __atomic_load_n(&size.first_run, __ATOMIC_RELAXED);
    const uint32_t usual = run_chunks[generation == 0 || first == 0 ? generation : generation - 1];
    const uint32_t learned = generation == 0 ? first : first / 2;
    const uint32_t wanted = usual > learned ? usual : learned;
    const auto longest = static_cast<uint32_t>(longest_run_bytes / size.chunk_bytes);
    return wanted < longest ? wanted : longest;
}

// What waits is no more memory than the C library's headers and rounding would take, and an eighth. Where the
// number of siblings was learned it may be twice what the objects take: they come one by one to many
// companions.
bool ColocationHeap::has_room_for_runs(const Size& size) const {
    const size_t usual = usual_chunk((static_cast<size_t>(&size - sizes_) + 1) * step);
    const size_t share = size.first_run != 0 ? 3 * 8 : 9;
    return size.taken.now() * size.chunk_bytes <= size.used.now() * usual * share / 8 + slack_bytes;
}

bool ColocationHeap::is_valid(const Size& size) const noexcept {
    return size.chunk_bytes != 0 && pools_.chunk_bytes(size.client) == size.chunk_bytes &&
           size.first_run <= longest_first_run;
}

void* ColocationHeap::begin_run(PoolThread& self, Size& size, unsigned generation) {
    MALLOOM_CHECK_FULL(is_valid(size));
    const uint32_t wanted = chunks_of_run(size, generation);
    uint32_t count = has_room_for_runs(size) ? wanted : 1;
    void* object = pools_.take_run(self, size.client, count);
    if (object == nullptr) {
        return nullptr;
    }
    const auto first = reinterpret_cast<uintptr_t>(object);
    const Pool& pool = *arena().find(object);
    if (first == pool.start && pool.carved == count) {
        prepare(pool);
    }
    size.used.add(1);
    size.taken.add(count);
    size.begun[generation].add(1);
    const uintptr_t last = first + uintptr_t{count - 1} * size.chunk_bytes;
    MALLOOM_CHECK(last - pool.start < pool.span);
    let_wait(size, first, last);
    // Who got less than wanted is due for it the next time.
    const bool is_short = count < wanted;
    set_mark(last, is_short && generation > 0 ? generation - 1 : generation);
    return object;
}

// Those behind the first.
void ColocationHeap::let_wait(const Size& size, uintptr_t first, uintptr_t last) {
    if (!can_wait(last)) {
        return;
    }
    const size_t distance = size.chunk_bytes / PoolHeap::chunk_alignment;
    const size_t end = bit_of(last);
    for (size_t bit = bit_of(first); bit != end;) {
        bit += distance;
        uint64_t& word = waiting_words()[bit / 64];
        __atomic_store_n(&word, word | uint64_t{1} << bit % 64, __ATOMIC_RELAXED);
    }
}

bool ColocationHeap::is_of(const Size& size, uintptr_t address) const {
    const Pool* pool = arena().find(reinterpret_cast<const void*>(address));
    return pool != nullptr && pool->client == size.client && index_of(*pool, address).is_exact;
}

unsigned ColocationHeap::generation_after(uintptr_t sibling) const {
    const unsigned generation = mark_of(sibling);
    return generation + 1 < generations ? generation + 1 : generation;
}

// No chunk waits behind the sibling, or that is none and the companion may be one itself.
void* ColocationHeap::begin(PoolThread& self, uint32_t number, uintptr_t companion, size_t offset) {
    if (self.is_busy) {
        return nullptr;
    }
    const BusyScope busy(self);
    Size& size = sizes_[number];
    const uintptr_t sibling = word_at(companion + offset);
    if (is_of(size, sibling)) {
        return begin_run(self, size, generation_after(sibling));
    }
    if (is_of(size, companion)) {
        void* object = take_waiting(self, size, companion + size.chunk_bytes);
        return object != nullptr ? object : begin_run(self, size, generation_after(companion));
    }
    return begin_run(self, size, 0);
}

}  // namespace malloom::heaps
