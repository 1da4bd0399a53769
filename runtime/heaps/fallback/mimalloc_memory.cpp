#include "runtime/heaps/fallback/mimalloc_memory.h"

#include <errno.h>
#include <sys/sysinfo.h>

#include <algorithm>

#include "runtime/heaps/fallback/mimalloc_port.h"
#include "runtime/platform/memory.h"

namespace malloom::heaps {

constinit MimallocMemory mimalloc_memory;

namespace {

// Address space only; what mimalloc does not get from it goes to the C library. Less where the user has
// limited it.
constexpr size_t usual_bytes = size_t{256} << 30;
constexpr size_t least_bytes = size_t{256} << 20;

// Of a limited address space: the rest is for the plan's arena, the C library and the program.
constexpr size_t share_of_limit = 8;

// What mimalloc takes of the range at first, and at most this share of it.
constexpr size_t step_bytes = size_t{1} << 30;
constexpr size_t steps = 4;

// What becomes usable of its map of pages at a time: for 512 MiB.
constexpr size_t map_step = size_t{64} << 10;

constexpr size_t slice_bytes = malloom_mimalloc_slice;
constexpr size_t part_bytes = MimallocMemory::part_bytes;
constexpr size_t word_bits = 8 * sizeof(uintptr_t);

size_t machine_memory() {
    struct sysinfo machine = {};
    return sysinfo(&machine) == 0 ? (machine.totalram + machine.totalswap) * machine.mem_unit : usual_bytes;
}

}  // namespace

bool MimallocMemory::open() {
    if (bytes != 0) {
        return true;
    }
    const size_t allowed = platform::address_space_limit() / share_of_limit;
    const size_t most = std::max(usual_bytes, platform::round_up(2 * machine_memory(), least_bytes));
    for (size_t wanted = most; wanted >= least_bytes; wanted /= 2) {
        if (wanted > allowed) {
            continue;
        }
        if (void* range = platform::reserve_addresses(wanted, platform::huge_page_bytes)) {
            return start_within(range, wanted);
        }
    }
    return false;
}

// At its begin lie the bits of parts that are open, then the map, each for the whole range.
bool MimallocMemory::start_within(void* range, size_t range_bytes) {
    const size_t bits_bytes = platform::round_up(range_bytes / part_bytes / 8, part_bytes);
    const size_t map_bytes = platform::round_up(range_bytes / slice_bytes * sizeof(void*), part_bytes);
    if (!platform::open_pages(range, bits_bytes)) {
        platform::unmap_pages(range, range_bytes);
        return false;
    }
    platform::refuse_huge_pages(range, range_bytes);
    base = reinterpret_cast<uintptr_t>(range);
    bytes = range_bytes;
    untaken_ = base + bits_bytes + map_bytes;
    open_parts_ = static_cast<uintptr_t*>(range);
    malloom_mimalloc_range.base = base;
    malloom_mimalloc_range.pages = reinterpret_cast<void**>(base + bits_bytes);
    malloom_mimalloc_start(std::min(step_bytes, range_bytes / steps));
    return true;
}

// Before anything there is known as mimalloc's.
bool MimallocMemory::extend_map(uintptr_t end) {
    const size_t had = malloom_mimalloc_range.slices * sizeof(void*);
    const size_t wanted =
        platform::round_up((end - base + slice_bytes - 1) / slice_bytes * sizeof(void*), map_step);
    if (wanted <= had) {
        return true;
    }
    char* const map = reinterpret_cast<char*>(malloom_mimalloc_range.pages);
    if (!platform::open_pages(map + had, wanted - had)) {
        return false;
    }
    __atomic_store_n(&malloom_mimalloc_range.slices, wanted / sizeof(void*), __ATOMIC_RELEASE);
    return true;
}

void* MimallocMemory::take(size_t wanted, size_t alignment) {
    // Where it takes a range to cut up itself, that begins with a part.
    const size_t aligned = wanted >= 8 * part_bytes ? std::max(alignment, part_bytes) : alignment;
    for (Span& span : given_back_) {
        const uintptr_t start = platform::round_up(span.start, aligned);
        if (start < span.end && wanted <= span.end - start) {
            span.start = start + wanted;
            return reinterpret_cast<void*>(start);
        }
    }
    const uintptr_t start = platform::round_up(untaken_, std::max(aligned, platform::page_bytes()));
    if (start > base + bytes || wanted > base + bytes - start || !extend_map(start + wanted)) {
        return nullptr;
    }
    untaken_ = start + wanted;
    return reinterpret_cast<void*>(start);
}

void MimallocMemory::give_back(void* start, size_t given) {
    const uintptr_t begin = reinterpret_cast<uintptr_t>(start);
    platform::discard_pages(start, given);
    if (begin + given == untaken_) {
        untaken_ = begin;
        return;
    }
    Span* smallest = given_back_;
    for (Span& span : given_back_) {
        if (span.end - span.start < smallest->end - smallest->start) {
            smallest = &span;
        }
    }
    if (smallest->end - smallest->start < given) {
        *smallest = {begin, begin + given};
    }
}

bool MimallocMemory::is_open(size_t part) const {
    return (__atomic_load_n(&open_parts_[part / word_bits], __ATOMIC_RELAXED) >> part % word_bits & 1) != 0;
}

void MimallocMemory::set_open(size_t first, size_t end) {
    for (size_t part = first; part < end; ++part) {
        __atomic_fetch_or(&open_parts_[part / word_bits], uintptr_t{1} << part % word_bits, __ATOMIC_RELAXED);
    }
}

// Whole parts, as a system call for each of mimalloc's pages would cost more than they do. Where the system
// has not so much, at a limit on data, just what is asked for.
bool MimallocMemory::open_pages(void* start, size_t wanted) {
    const size_t offset = reinterpret_cast<uintptr_t>(start) - base;
    size_t first = offset / part_bytes;
    size_t end = (offset + wanted + part_bytes - 1) / part_bytes;
    for (; first < end && is_open(first); ++first) {
    }
    for (; first < end && is_open(end - 1); --end) {
    }
    if (first == end) {
        return true;
    }
    const int error = errno;
    void* parts = reinterpret_cast<void*>(base + first * part_bytes);
    if (platform::open_pages(parts, (end - first) * part_bytes)) {
        set_open(first, end);
        return true;
    }
    errno = error;
    return platform::open_pages(start, wanted);
}

}  // namespace malloom::heaps

using malloom::heaps::mimalloc_memory;
namespace platform = malloom::platform;

void* malloom_mimalloc_take(size_t bytes, size_t alignment) {
    return mimalloc_memory.take(bytes, alignment);
}

void malloom_mimalloc_give_back(void* start, size_t bytes) {
    mimalloc_memory.give_back(start, bytes);
}

bool malloom_mimalloc_open(void* start, size_t bytes) {
    return mimalloc_memory.open_pages(start, bytes);
}

void malloom_mimalloc_discard(void* start, size_t bytes) {
    platform::discard_pages(start, bytes);
}

size_t malloom_mimalloc_page_bytes() {
    return platform::page_bytes();
}

long long malloom_mimalloc_now() {
    return static_cast<long long>(platform::monotonic_nanoseconds() / 1000000);
}
