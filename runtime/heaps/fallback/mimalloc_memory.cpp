#include "runtime/heaps/fallback/mimalloc_memory.h"

#include <errno.h>
#include <sys/sysinfo.h>

#include <algorithm>

#include "runtime/heaps/fallback/mimalloc_port.h"
#include "runtime/platform/memory.h"

namespace malloom::heaps {

constinit MimallocMemory mimalloc_memory;

namespace {

// Addresses only; what mimalloc does not get from it goes to the C library. Less where the user has limited
// them.
constexpr size_t usual_bytes = size_t{256} << 30;
constexpr size_t least_bytes = size_t{256} << 20;

// Of the range, for tables beside it.
constexpr size_t share_of_tables = 32;

// What mimalloc takes of the range at first, and at most this share of it.
constexpr size_t step_bytes = size_t{256} << 20;
constexpr size_t steps = 4;

constexpr size_t slice_bytes = malloom_mimalloc_slice;
constexpr size_t word_bits = 8 * sizeof(uintptr_t);

// What is opened at a time: an eighth of what is open, but whole slices, and no more than a part. So a small
// program has little open that it does not use, where all of that is locked in memory or counts.
constexpr size_t least_step = 2;
constexpr size_t share_of_step = 8;

// A huge page is no more than a quarter of what is open without it.
constexpr size_t least_for_huge = 4 * MimallocMemory::part_bytes;

size_t machine_memory() {
    struct sysinfo machine = {};
    return sysinfo(&machine) == 0 ? (machine.totalram + machine.totalswap) * machine.mem_unit : usual_bytes;
}

}  // namespace

bool MimallocMemory::open(const MimallocTuning& tuning) {
    if (bytes != 0) {
        return true;
    }
    const size_t most = std::max(usual_bytes, platform::round_up(2 * machine_memory(), least_bytes));
    for (size_t wanted = most; wanted >= least_bytes; wanted /= 2) {
        if (addresses.open(wanted + wanted / share_of_tables)) {
            return start_within(platform::round_down(wanted, part_bytes), tuning);
        }
    }
    return false;
}

// mimalloc cannot be told that it got nothing at its start, so that is made sure of.
bool MimallocMemory::start_within(size_t range_bytes, const MimallocTuning& tuning) {
    const size_t page = platform::page_bytes();
    const size_t slices = range_bytes / slice_bytes;
    base = addresses.take(range_bytes, part_bytes);
    bytes = range_bytes;
    untaken_ = base;
    if (base == 0 || !map_.open(addresses, platform::round_up(slices * sizeof(void*), page), page, page) ||
        !open_slices_.open(addresses, platform::round_up(slices / 8, page), page, page)) {
        *this = MimallocMemory();
        return false;
    }
    malloom_mimalloc_range.base = base;
    malloom_mimalloc_range.pages = reinterpret_cast<void**>(map_.base());
    is_huge_ = tuning.huge_pages && platform::huge_pages_are_allowed();
    const size_t at_start = is_huge_ ? part_bytes : size_t{256} << 10;
    if (!extend_tables(base + at_start) || !open_pages(reinterpret_cast<void*>(base), at_start)) {
        *this = MimallocMemory();
        return false;
    }
    is_tight_ = platform::data_limit() != SIZE_MAX || platform::address_space_limit() != SIZE_MAX;
    malloom_mimalloc_start(std::min(step_bytes, range_bytes / steps), tuning.purge_delay,
                           is_huge_ ? part_bytes : 0);
    return true;
}

// Before anything there is known as mimalloc's.
bool MimallocMemory::extend_tables(uintptr_t end) {
    const size_t slices = (end - base + slice_bytes - 1) / slice_bytes;
    if (!open_slices_.reach(slices / 8 + 1) || !map_.reach(slices * sizeof(void*))) {
        return false;
    }
    __atomic_store_n(&malloom_mimalloc_range.slices, map_.usable() / sizeof(void*), __ATOMIC_RELEASE);
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
    if (start > base + bytes || wanted > base + bytes - start || !extend_tables(start + wanted)) {
        return nullptr;
    }
    untaken_ = start + wanted;
    return reinterpret_cast<void*>(start);
}

void MimallocMemory::give_back(void* start, size_t given) {
    const uintptr_t begin = reinterpret_cast<uintptr_t>(start);
    // Who takes these addresses next is told that they read as zero.
    if (leave_pages(start, given) == Left::as_they_are) {
        return;
    }
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

bool MimallocMemory::is_open(size_t slice) const {
    const auto* const words = reinterpret_cast<const uintptr_t*>(open_slices_.base());
    return (__atomic_load_n(&words[slice / word_bits], __ATOMIC_ACQUIRE) >> slice % word_bits & 1) != 0;
}

bool MimallocMemory::is_open(const void* start, size_t wanted) const {
    const size_t offset = reinterpret_cast<uintptr_t>(start) - base;
    for (size_t slice = offset / slice_bytes; slice * slice_bytes < offset + wanted; ++slice) {
        if (!is_open(slice)) {
            return false;
        }
    }
    return true;
}

size_t MimallocMemory::step() const {
    if (is_huge_) {
        return part_bytes / slice_bytes;
    }
    const size_t wanted = std::max(least_step, opened_ / share_of_step);
    return std::min(size_t{1} << (word_bits - 1 - static_cast<size_t>(__builtin_clzl(wanted))),
                    part_bytes / slice_bytes);
}

// Where huge pages are not wanted there are none, wherever the system makes them unasked. In what is opened
// first mimalloc has a page of each size class, of which a program may need little.
void MimallocMemory::advise(uintptr_t start, size_t length) const {
    const size_t opened = opened_ * slice_bytes;
    const size_t left = opened < least_for_huge ? least_for_huge - opened : 0;
    const size_t small = is_huge_ ? std::min(length, left) : length;
    if (small != 0) {
        platform::refuse_huge_pages(reinterpret_cast<void*>(start), small);
    }
    if (small < length) {
        platform::prefer_huge_pages(reinterpret_cast<void*>(start + small), length - small);
    }
}

// Those that are not open yet.
bool MimallocMemory::open_slices(size_t first, size_t end) {
    for (; first < end; ++first) {
        if (is_open(first)) {
            continue;
        }
        size_t next = first + 1;
        for (; next < end && !is_open(next); ++next) {
        }
        const uintptr_t start = base + first * slice_bytes;
        const size_t length = (next - first) * slice_bytes;
        if (!addresses.open_pages(start, length)) {
            return false;
        }
        advise(start, length);
        opened_ += next - first;
        auto* const words = reinterpret_cast<uintptr_t*>(open_slices_.base());
        for (; first < next; ++first) {
            __atomic_fetch_or(&words[first / word_bits], uintptr_t{1} << first % word_bits, __ATOMIC_RELEASE);
        }
    }
    return true;
}

void MimallocMemory::note_growth() {
    if (told_ != nullptr && opened_ >= tell_at_) {
        tell_at_ = opened_ + opened_ / 4 + part_bytes / slice_bytes;
        told_(told_argument_);
    }
}

// More than is asked for, as a system call for each of mimalloc's pages would cost more than they do. Where
// the system has not so much, at a limit, just that.
bool MimallocMemory::open_pages(void* start, size_t wanted) {
    const int error = errno;
    const size_t offset = reinterpret_cast<uintptr_t>(start) - base;
    const size_t first = offset / slice_bytes;
    const size_t end = (offset + wanted + slice_bytes - 1) / slice_bytes;
    const size_t taken = (untaken_ - base + slice_bytes - 1) / slice_bytes;
    const size_t beyond = std::min(platform::round_up(end, step()), std::max(taken, end));
    if (open_slices(platform::round_down(first, step()), beyond)) {
        note_growth();
        return true;
    }
    is_tight_ = true;
    errno = error;
    return open_slices(first, end);
}

// mimalloc fills a range from its begin on, but for sizes that it keeps apart.
void MimallocMemory::open_more() {
    const size_t taken = (untaken_ - base) / slice_bytes;
    size_t end = taken;
    for (; end != 0 && !is_open(end - 1); --end) {
    }
    open_slices(0, std::min(taken, end + part_bytes / slice_bytes));
}

bool MimallocMemory::close_pages(void* start, size_t given) {
    return leave_pages(start, given) == Left::closed;
}

// The system may have no room for the two mappings that a hole leaves.
MimallocMemory::Left MimallocMemory::leave_pages(void* start, size_t given) {
    const uintptr_t begin = reinterpret_cast<uintptr_t>(start);
    const bool may_close = is_tight_ && (begin - base) % slice_bytes == 0 && given % slice_bytes == 0;
    if (!may_close || !addresses.close_pages(begin, given)) {
        return platform::discard_pages(start, given) ? Left::empty : Left::as_they_are;
    }
    auto* const words = reinterpret_cast<uintptr_t*>(open_slices_.base());
    const size_t first = (begin - base) / slice_bytes;
    for (size_t slice = first; slice < first + given / slice_bytes; ++slice) {
        opened_ -= is_open(slice) ? 1 : 0;
        __atomic_fetch_and(&words[slice / word_bits], ~(uintptr_t{1} << slice % word_bits), __ATOMIC_RELEASE);
    }
    return Left::closed;
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

bool malloom_mimalloc_is_open(const void* start, size_t bytes) {
    return mimalloc_memory.is_open(start, bytes);
}

bool malloom_mimalloc_open(void* start, size_t bytes) {
    return mimalloc_memory.open_pages(start, bytes);
}

void malloom_mimalloc_open_more() {
    mimalloc_memory.open_more();
}

bool malloom_mimalloc_close(void* start, size_t bytes) {
    return mimalloc_memory.close_pages(start, bytes);
}

void malloom_mimalloc_discard(void* start, size_t bytes) {
    platform::discard_pages(start, bytes);
}

void malloom_mimalloc_populate(void* start, size_t bytes) {
    platform::populate_pages(start, bytes);
}

size_t malloom_mimalloc_page_bytes() {
    return platform::page_bytes();
}

long long malloom_mimalloc_now() {
    return static_cast<long long>(platform::monotonic_nanoseconds() / 1000000);
}
