#include "runtime/heaps/fallback/object_marks.h"

#include "runtime/platform/memory.h"

namespace malloom::heaps {

namespace {

// The marks of one of mimalloc's segments: the table grows only where mimalloc asks the system for memory
// too, so programs that give up the right to ask fare no worse.
constexpr size_t step = size_t{512} << 10;

}  // namespace

bool ObjectMarks::open(uintptr_t base, size_t bytes) {
    const size_t needed = platform::round_up(bytes / granule / granules_per_byte, step);
    if (!table_.open(needed, platform::page_bytes(), step)) {
        return false;
    }
    base_ = base;
    bytes_ = bytes;
    return true;
}

void ObjectMarks::close() {
    table_.close();
    *this = ObjectMarks();
}

// Once memory was short it is not asked again: each object would cost a system call.
bool ObjectMarks::has_reached(size_t granules) {
    if (granules >= bytes_ / granule) {
        return false;
    }
    if (are_whole() && table_.reach(granules / granules_per_byte + 1)) {
        return true;
    }
    __atomic_store_n(&are_missing_, true, __ATOMIC_RELAXED);
    return false;
}

bool ObjectMarks::has(const void* address, uint64_t mark) const {
    const size_t offset = offset_of(address);
    const size_t granules = offset / granule;
    return offset % granule == 0 && granules / granules_per_byte < table_.usable() &&
           (__atomic_load_n(word_of(granules), __ATOMIC_RELAXED) >> shift_of(granules) & mark) != 0;
}

bool ObjectMarks::have_object(const void* first, const void* last) const {
    const uintptr_t end = reinterpret_cast<uintptr_t>(last);
    for (uintptr_t at = platform::round_up(reinterpret_cast<uintptr_t>(first), granule); at <= end;
         at += granule) {
        if (is_object(reinterpret_cast<const void*>(at))) {
            return true;
        }
    }
    return false;
}

}  // namespace malloom::heaps
