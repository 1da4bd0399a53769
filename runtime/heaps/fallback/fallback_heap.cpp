#include "runtime/heaps/fallback/fallback_heap.h"

#include <errno.h>
#include <string.h>

#include "runtime/heaps/fallback/interrupted_objects.h"
#include "runtime/heaps/fallback/other_mimalloc.h"
#include "runtime/platform/output.h"

namespace malloom::heaps {

namespace {

// Larger objects are mapped one by one by either allocator, and the C library can grow them without copying.
constexpr size_t mimalloc_limit = malloom_mimalloc_limit;

[[gnu::always_inline]] inline bool is_mimalloc(const void* object) {
    return mimalloc_memory.owns(object);
}

// The C library's. Where a thread's arena is full it tries another one, and leaves ENOMEM behind although
// that has memory.
template <class Ask>
[[gnu::always_inline]] inline void* real_object(Ask ask) {
    const int error = errno;
    void* object = ask();
    if (object != nullptr) {
        errno = error;
    }
    return object;
}

// What mimalloc has no memory for, or leaves alone as a handler asks that interrupted it.
template <class Ask>
[[gnu::always_inline]] inline void* other_object(size_t bytes, size_t alignment, Ask ask) {
    if (malloom_mimalloc_is_interrupted()) [[unlikely]] {
        if (void* object = interrupted_objects.allocate(bytes, alignment)) {
            return object;
        }
    }
    return real_object(ask);
}

void* other_allocate(size_t bytes) {
    return other_object(bytes, 0, [=] { return next_allocator.allocate(bytes); });
}

void* moved_to(void* moved, const void* object, size_t had, size_t bytes) {
    return moved != nullptr ? memcpy(moved, object, had < bytes ? had : bytes) : nullptr;
}

// Where there is no memory the object stays what it is, and is the answer where it fits; and where it fits,
// also in a call site's heap, out of which mimalloc's own would move it.
void* mimalloc_reallocate(void* object, size_t bytes, size_t limit) {
    const size_t had = mi_usable_size(object);
    if (FallbackHeap::stays(had, bytes)) {
        return object;
    }
    if (bytes < limit) {
        if (void* same_or_moved = mi_realloc(object, bytes)) [[likely]] {
            return same_or_moved;
        }
    }
    void* moved = moved_to(other_allocate(bytes), object, had, bytes);
    if (moved == nullptr) {
        return bytes <= had ? object : nullptr;
    }
    mi_free(object);
    return moved;
}

}  // namespace

void FallbackHeap::choose(FallbackKind kind, const MimallocTuning& tuning, size_t trusted_up_to) {
    const bool is_mimalloc =
        kind != FallbackKind::system && !is_other_mimalloc_loaded() && mimalloc_memory.open(tuning);
    const bool is_checked =
        is_mimalloc && kind == FallbackKind::checked_mimalloc &&
        marks_.open(mimalloc_memory.addresses, mimalloc_memory.base, mimalloc_memory.bytes);
    mimalloc_memory.plain_bytes = is_checked ? 0 : mimalloc_memory.bytes;
    limit_ = is_mimalloc && !is_checked ? mimalloc_limit : 0;
    checked_limit_ = is_checked ? mimalloc_limit : 0;
    if (!is_mimalloc && trusted_up_to != 0) {
        next_allocator.trust_up_to(trusted_up_to, tuning.huge_pages);
    }
}

// Of an address that has no mark now: a misuse, unless marks are missing for want of memory.
void FallbackHeap::expect_unmarked(const void* object) const {
    const bool was_object = marks_.was_object(object);
    if (!was_object && !marks_.are_whole()) {
        return;
    }
    if (on_misuse_ != nullptr) {
        on_misuse_(was_object ? FallbackMisuse::freed_twice : FallbackMisuse::no_object, object);
    }
    platform::abort_with(was_object ? "malloom: free of an object that was freed before"
                                    : "malloom: free of an address where no object begins");
}

// It ends before mimalloc has it: its place may be another thread's object as soon as that has.
void FallbackHeap::deallocate_marked(void* object) {
    if (!marks_.end(object)) [[unlikely]] {
        expect_unmarked(object);
    }
    mi_free(object);
}

void FallbackHeap::deallocate(void* object) {
    if (may_have_mark(object)) {
        deallocate_marked(object);
    } else if (is_mimalloc(object)) [[likely]] {
        mi_free(object);
    } else if (interrupted_objects.owns(object)) [[unlikely]] {
        interrupted_objects.deallocate(object);
    } else {
        next_allocator.deallocate(object);
    }
}

size_t FallbackHeap::usable_size(const void* object) const {
    if (is_mimalloc(object)) {
        return mi_usable_size(object);
    }
    return interrupted_objects.owns(object) ? interrupted_objects.usable_size(object)
                                            : next_allocator.usable_size(const_cast<void*>(object));
}

void FallbackHeap::ask_system_less() const {
    if (has_mimalloc()) {
        malloom_mimalloc_populate_no_more();
    }
}

void FallbackHeap::ask_system_no_more() const {
    if (has_mimalloc()) {
        malloom_mimalloc_keep();
    }
}

void FallbackHeap::ask_system_again() const {
    if (has_mimalloc()) {
        malloom_mimalloc_keep_no_more();
    }
}

void* FallbackHeap::allocate_slow(size_t bytes, size_t alignment) {
    return bytes < checked_limit_ ? allocate_checked(bytes, alignment) : allocate_unchecked(bytes, alignment);
}

void* FallbackHeap::allocate_checked(size_t bytes, size_t alignment) {
    if (alignment <= largest_plain_alignment) [[likely]] {
        void* object =
            alignment <= granule ? allocate_marked(bytes) : allocate_marked_aligned(alignment, bytes);
        if (object != nullptr) [[likely]] {
            return object;
        }
    }
    return allocate_unchecked(bytes, alignment);
}

// What is too large for mimalloc, or aligned, or more than its range has left.
void* FallbackHeap::allocate_unchecked(size_t bytes, size_t alignment) {
    if (alignment <= granule) {
        return other_allocate(bytes);
    }
    if (bytes < limit_ && alignment <= largest_plain_alignment) {
        if (void* object = mi_malloc_aligned(at_least_granule(bytes), alignment)) {
            return object;
        }
    }
    return other_object(bytes, alignment, [=] { return next_allocator.allocate_aligned(alignment, bytes); });
}

void* FallbackHeap::allocate_zeroed(const Request& request) {
    if (request.bytes < limit_) {
        if (void* object = mi_zalloc(at_least_granule(request.bytes))) [[likely]] {
            return object;
        }
    }
    if (request.bytes < checked_limit_) {
        if (void* object = allocate_marked_zeroed(request.bytes)) [[likely]] {
            return object;
        }
    }
    void* object =
        other_object(request.bytes, 0, [&] { return next_allocator.allocate_zeroed(request.bytes); });
    return interrupted_objects.owns(object) ? memset(object, 0, request.bytes) : object;
}

void* FallbackHeap::reallocate(void* object, const Request& request) {
    if (!is_mimalloc(object)) {
        if (interrupted_objects.owns(object)) [[unlikely]] {
            return reallocate_interrupted(object, request);
        }
        return real_object([&] { return next_allocator.reallocate(object, request.bytes); });
    }
    const size_t bytes = at_least_granule(request.bytes);
    return marks_.covers(object) ? reallocate_checked(object, bytes)
                                 : mimalloc_reallocate(object, bytes, limit_);
}

void* FallbackHeap::reallocate_interrupted(void* object, const Request& request) {
    const size_t had = interrupted_objects.usable_size(object);
    if (request.bytes <= had) {
        return object;
    }
    void* moved = moved_to(allocate(request), object, had, request.bytes);
    if (moved != nullptr) {
        interrupted_objects.deallocate(object);
    }
    return moved;
}

// It ends first, as where it is freed.
void* FallbackHeap::reallocate_checked(void* object, size_t bytes) {
    if (!marks_.end(object)) [[unlikely]] {
        expect_unmarked(object);
    }
    void* same_or_moved = mimalloc_reallocate(object, bytes, checked_limit_);
    if (same_or_moved == nullptr) {
        marks_.begin(object);
    } else if (marks_.covers(same_or_moved)) {
        marks_.begin(same_or_moved);
    }
    return same_or_moved;
}

}  // namespace malloom::heaps
