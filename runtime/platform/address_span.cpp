#include "runtime/platform/address_span.h"

#include <sys/mman.h>

#include "runtime/platform/memory.h"

// There where the program has ThreadSanitizer. It knows few ranges of addresses, and its mmap puts elsewhere
// what is wanted outside them.
extern "C" [[gnu::weak]] void __tsan_init();

namespace malloom::platform {

namespace {

// Without a limit. Under one a slot has twice as many bytes: all that the process may have, and tables for
// it.
constexpr size_t largest_slot = sizeof(void*) == 8 ? size_t{1} << 39 : size_t{1} << 28;

// Between the slots and the mappings that the kernel places, which it adds below those that it has.
constexpr size_t slots_between = 16, slots_between_under_limit = 2;
constexpr unsigned most_looks = 4096;

// Of all that the process may have.
constexpr size_t share_of_reserved = 4;

// The same for all spans of a process as long as its limit stays.
size_t slot_bytes(size_t limit) {
    size_t bytes = largest_slot;
    while (bytes / 4 >= limit && bytes > huge_page_bytes) {
        bytes /= 2;
    }
    return bytes;
}

bool map_there(uintptr_t start, size_t bytes, int protection) {
    return map_pages_at(reinterpret_cast<void*>(start), bytes, protection);
}

// Where the kernel places what asks for no address; 0 without memory.
uintptr_t usual_place() {
    void* page = reserve_addresses(page_bytes(), page_bytes());
    unmap_pages(page, page != nullptr ? page_bytes() : 0);
    return reinterpret_cast<uintptr_t>(page);
}

// 0 where all are taken.
uintptr_t claim_slot(size_t slot, size_t between) {
    const uintptr_t highest = round_down(usual_place(), slot);
    if (highest / slot <= between || __tsan_init != nullptr) {
        return 0;
    }
    uintptr_t start = highest - between * slot;
    for (unsigned looks = 0; looks < most_looks && start != 0; ++looks, start -= slot) {
        if (map_there(start, page_bytes(), PROT_NONE)) {
            return start;
        }
    }
    return 0;
}

}  // namespace

bool AddressSpan::open(size_t bytes) {
    bytes = round_up(bytes, page_bytes());
    const size_t limit = address_space_limit();
    const size_t slot = slot_bytes(limit);
    const size_t between = slot == largest_slot ? slots_between : slots_between_under_limit;
    base_ = bytes <= slot - page_bytes() ? claim_slot(slot, between) : 0;
    if (base_ == 0) {
        return bytes <= limit / share_of_reserved && reserve(bytes);
    }
    bytes_ = slot;
    taken_ = page_bytes();
    is_reserved_ = false;
    return true;
}

bool AddressSpan::reserve(size_t bytes) {
    base_ = reinterpret_cast<uintptr_t>(reserve_addresses(bytes, huge_page_bytes));
    bytes_ = base_ != 0 ? bytes : 0;
    taken_ = 0;
    is_reserved_ = true;
    return base_ != 0;
}

void AddressSpan::close() {
    if (is_open() && !is_reserved_) {
        unmap_pages(reinterpret_cast<void*>(base_), page_bytes());
    }
    leave();
}

void AddressSpan::leave() {
    give_back(round_up(base_ + taken_, page_bytes()), base_ + bytes_);
    *this = AddressSpan();
}

// Of claimed addresses nothing is mapped there.
void AddressSpan::give_back(uintptr_t start, uintptr_t end) const {
    if (is_reserved_ && start < end) {
        unmap_pages(reinterpret_cast<void*>(start), end - start);
    }
}

uintptr_t AddressSpan::take(size_t bytes, size_t alignment) {
    const uintptr_t start = round_up(base_ + taken_, alignment);
    const size_t before = start - base_;
    if (bytes_ < before || bytes_ - before < bytes) {
        return 0;
    }
    taken_ = before + bytes;
    return start;
}

bool AddressSpan::open_pages(uintptr_t start, size_t bytes) const {
    return is_reserved_ ? platform::open_pages(reinterpret_cast<void*>(start), bytes)
                        : map_there(start, bytes, PROT_READ | PROT_WRITE);
}

bool AddressSpan::close_pages(uintptr_t start, size_t bytes) const {
    return !is_reserved_ && unmap_pages(reinterpret_cast<void*>(start), bytes);
}

}  // namespace malloom::platform
