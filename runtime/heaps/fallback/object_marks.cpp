#include "runtime/heaps/fallback/object_marks.h"

#include "checks/check.h"
#include "runtime/heaps/fallback/fork_gate.h"
#include "runtime/platform/memory.h"

namespace malloom::heaps {

namespace {

// For 4 MiB: the table grows only where mimalloc asks the system for memory too, so programs that give up the
// right to ask fare no worse.
constexpr size_t step = size_t{64} << 10;

}  // namespace

bool ObjectMarks::open(platform::AddressSpan& span, uintptr_t base, size_t bytes) {
    const size_t needed = platform::round_up(table_bytes(bytes), step);
    if (!table_.open(span, needed, platform::page_bytes(), step)) {
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

bool ObjectMarks::is_valid() const noexcept {
    return base_ % granule == 0 && table_bytes(bytes_) <= table_.bytes() && table_.is_valid();
}

// Once memory was short it is not asked again: each object would cost a system call.
void ObjectMarks::begin_beyond(const void* object) {
    if (!covers(object)) {
        return;
    }
    MALLOOM_CHECK_FULL(is_valid());
    // A child that was forked in the middle would not know what is mapped.
    malloom_fork_gate_enter();
    const bool is_there = are_whole() && table_.reach(table_bytes(offset_of(object)) + 1);
    malloom_fork_gate_leave();
    if (is_there) {
        set(object);
    } else {
        __atomic_store_n(&are_missing_, true, __ATOMIC_RELAXED);
    }
}

bool ObjectMarks::has(const void* address, uintptr_t mark) const {
    return is_reached(address) && offset_of(address) % granule == 0 &&
           (__atomic_load_n(&word_of(address), __ATOMIC_RELAXED) >> shift_of(address) & mark) != 0;
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
