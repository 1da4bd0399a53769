#include "runtime/heaps/pools/huge_pages.h"

#include "runtime/heaps/pools/pool.h"
#include "runtime/platform/memory.h"

namespace malloom::heaps {

static_assert(platform::huge_page_bytes == block_bytes);

namespace {

// In a virtual machine whose host has taken unused memory back, each takes milliseconds, ten times as long as
// usual, and is hardly huge in the host's tables; a system whose memory is fragmented compacts it first.
constexpr uint64_t slow_nanoseconds = 2000000;

}  // namespace

bool HugePages::open(platform::AddressSpan& span, uintptr_t base, size_t bytes) {
    const size_t page = platform::page_bytes();
    base_ = base;
    bytes_ = bytes;
    return flags_.open(span, platform::round_up(bytes / block_bytes, page), page, page);
}

void HugePages::close() {
    flags_.close();
    *this = HugePages();
}

bool HugePages::reach(size_t usable) {
    return flags_.reach(usable / block_bytes);
}

bool HugePages::are_allowed() const {
    return bytes_ != 0 && platform::huge_pages_are_allowed();
}

void HugePages::prefer() {
    are_preferred_ = true;
    begin(base_, bytes_);
}

// All of one advice, so that the kernel makes one mapping of neighbours.
void HugePages::begin(uintptr_t start, size_t bytes) const {
    if (are_preferred_ && bytes != 0) {
        platform::refuse_huge_pages(reinterpret_cast<void*>(start), bytes);
    }
}

bool* HugePages::flag_of(uintptr_t address) const {
    return reinterpret_cast<bool*>(flags_.base() + (address - base_) / block_bytes);
}

// Before its first use: that takes half the time of its small pages, and a third of gathering them. Not the
// first: a process may need little of it; and its pages give the mapping what the kernel asks for before it
// joins others to it.
bool HugePages::make(uintptr_t block) {
    return block != base_ && pace_.is_due() && ask_for(block, platform::make_huge_page);
}

// Other blocks once all their chunks were in use. Not by MADV_HUGEPAGE before the first touch: one that is
// hardly used would have all its pages at once.
void HugePages::gather(uintptr_t block) {
    if (pace_.is_due()) {
        ask_for(block, platform::gather_huge_page);
    }
}

bool HugePages::ask_for(uintptr_t block, bool (*system_call)(void* block)) {
    const uint64_t began = platform::monotonic_nanoseconds();
    const bool is_there = system_call(reinterpret_cast<void*>(block));
    __atomic_store_n(flag_of(block), is_there, __ATOMIC_RELAXED);
    pace_.answered(platform::monotonic_nanoseconds() - began <= slow_nanoseconds);
    return is_there;
}

}  // namespace malloom::heaps
