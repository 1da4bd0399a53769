#include "runtime/heaps/fallback/next_allocator.h"

#include <dlfcn.h>
#include <errno.h>
#include <gnu/libc-version.h>
#include <malloc.h>
#include <string.h>
#include <unistd.h>

#include <algorithm>

#include "runtime/heaps/fallback/allocators_functions.h"
#include "runtime/platform/memory.h"
#include "runtime/platform/real_allocator.h"
#include "runtime/platform/system_calls.h"
#include "runtime/structures/alone.h"

namespace malloom::heaps {

constinit NextAllocator next_allocator;

namespace {

// The C library maps what is larger by itself, unless its user has told it otherwise.
constexpr size_t mapped_bytes = size_t{128} << 10;

// While little is missing, a look at memory comes after this part of it.
constexpr size_t parts_between_looks = 16;

// Of an object that is moved as it grows.
constexpr size_t parts_to_grow_by = 8;

// While those are to be huge pages the break moves by so much, as a page in which it stands remains small.
constexpr size_t huge_step_bytes = 8 * platform::huge_page_bytes;

// Its very own, as others may have put themselves before it.
struct CLibrary {
    void* (*malloc)(size_t);
    void* (*calloc)(size_t, size_t);
    void (*free)(void*);
    size_t (*malloc_usable_size)(void*);
    int (*mallopt)(int, int);
};
CLibrary c_library;

platform::real::Functions next;

// The first version that the C library gave its symbols on this machine; those of others have none.
#if defined(__x86_64__)
constexpr const char* first_version = "GLIBC_2.2.5";
#else
constexpr const char* first_version = "GLIBC_2.17";
#endif

// Unlike dlopen this may be done while the loader is at work.
template <typename Function>
bool find(Function& function, const char* name) {
    function = reinterpret_cast<Function>(dlvsym(RTLD_NEXT, name, first_version));
    return function != nullptr;
}

bool is_in_c_library(void* function) {
    Dl_info its = {}, of_library = {};
    return dladdr(function, &its) != 0 &&
           dladdr(reinterpret_cast<void*>(&gnu_get_libc_version), &of_library) != 0 &&
           its.dli_fbase == of_library.dli_fbase;
}

bool find_c_library() {
    return find(c_library.malloc, "malloc") && find(c_library.calloc, "calloc") &&
           find(c_library.free, "free") && find(c_library.malloc_usable_size, "malloc_usable_size") &&
           find(c_library.mallopt, "mallopt") && is_in_c_library(reinterpret_cast<void*>(c_library.malloc));
}

// What the calling thread may ask for until the next look.
[[gnu::tls_model("initial-exec")]] constinit thread_local size_t bytes_left = 0;

// Whether no look is due.
[[gnu::always_inline]] inline bool takes(size_t bytes) {
    if (bytes > bytes_left) [[unlikely]] {
        return false;
    }
    bytes_left -= bytes;
    return true;
}

uintptr_t program_break() {
    return reinterpret_cast<uintptr_t>(sbrk(0));
}

}  // namespace

void NextAllocator::trust_up_to(size_t most_resident, bool huge_pages) {
    const platform::real::Functions* const found = platform::real::functions_alone();
    if (found == nullptr || !find_c_library() || found->malloc == c_library.malloc) {
        return;
    }
    next = *found;
    lowest_ = program_break();
    most_bytes_ = mapped_bytes;
    is_huge_ = huge_pages && platform::huge_pages_are_allowed();
    most_resident_ = most_resident;
}

bool NextAllocator::is_for_c_library(size_t bytes) {
    if (left_at() == 0) {
        if (!is_watched() || takes(bytes)) {
            return false;
        }
        look();
    }
    return left_at() != 0 && bytes < __atomic_load_n(&most_bytes_, __ATOMIC_RELAXED) && structures::alone();
}

// The C library itself has moved the break. Filters of system calls may look at advice.
void NextAllocator::reach(uintptr_t end) {
    const size_t span = end - lowest_;
    if (is_huge_ && span > span_ && platform::may_call()) {
        platform::prefer_huge_pages(reinterpret_cast<void*>(lowest_), span);
    }
    __atomic_store_n(&span_, span, __ATOMIC_RELAXED);
}

// Whether the break is where the C library has left it, which gives back by a free what lies last. Where
// others have moved it on their objects may lie there.
bool NextAllocator::owns_break() {
    const uintptr_t end = program_break();
    if (end != lowest_ + span_) [[unlikely]] {
        if (end > lowest_ + span_) {
            return false;
        }
        reach(end);
    }
    return true;
}

// Where it gives something elsewhere, or nothing, it is not asked for so much again.
template <class Ask>
void* NextAllocator::from_c_library(size_t bytes, Ask ask) {
    if (!owns_break()) [[unlikely]] {
        __atomic_store_n(&most_bytes_, 0, __ATOMIC_RELAXED);
        return nullptr;
    }
    const int error = errno;
    void* object = ask();
    const uintptr_t end = program_break();
    if (end != lowest_ + span_) [[unlikely]] {
        reach(end);
    }
    if (object != nullptr && is_of_c_library(object)) [[likely]] {
        return object;
    }
    __atomic_store_n(&most_bytes_, bytes, __ATOMIC_RELAXED);
    c_library.free(object);
    errno = error;
    return nullptr;
}

void* NextAllocator::allocate(size_t bytes) {
    if (is_for_c_library(bytes)) {
        if (void* object = from_c_library(bytes, [=] { return c_library.malloc(bytes); })) [[likely]] {
            return object;
        }
    }
    return platform::real::allocate(bytes);
}

void* NextAllocator::allocate_zeroed(size_t bytes) {
    if (is_for_c_library(bytes)) {
        if (void* object = from_c_library(bytes, [=] { return c_library.calloc(1, bytes); })) [[likely]] {
            return object;
        }
    }
    return platform::real::allocate_zeroed(1, bytes);
}

void* NextAllocator::allocate_aligned(size_t alignment, size_t bytes) {
    return platform::real::allocate_aligned(alignment, bytes);
}

void* NextAllocator::reallocate(void* object, size_t bytes) {
    if (is_of_c_library(object)) [[unlikely]] {
        return reallocate_of_c_library(object, bytes);
    }
    return platform::real::reallocate(object, bytes);
}

// Not by its own realloc, which may move the object to where nobody knows it; so one that grows gets room to
// grow on.
void* NextAllocator::reallocate_of_c_library(void* object, size_t bytes) {
    const size_t had = c_library.malloc_usable_size(object);
    if (bytes <= had && bytes >= had / 2) {
        return object;
    }
    void* moved = bytes > had && bytes < mapped_bytes ? allocate(bytes + had / parts_to_grow_by) : nullptr;
    if (moved == nullptr) {
        moved = allocate(bytes);
    }
    if (moved == nullptr) {
        return bytes <= had ? object : nullptr;
    }
    memcpy(moved, object, std::min(had, bytes));
    c_library.free(object);
    return moved;
}

void NextAllocator::deallocate(void* object) {
    if (is_of_c_library(object)) {
        c_library.free(object);
    } else {
        platform::real::deallocate_unknown(object);
    }
}

size_t NextAllocator::usable_size(void* object) const {
    return is_of_c_library(object) ? c_library.malloc_usable_size(object)
                                   : platform::real::usable_size(object);
}

// The common way first, the functions above behind it; without memory the others say so. Until the allocator
// is left every object is its own, and free is its free.
struct WatchedEntries {
    static inline constinit malloom_entries others = {};
    static inline constinit malloom_entries now = {};

    [[gnu::noinline]] static void* allocate_slow(size_t bytes) {
        void* object = next_allocator.allocate(bytes);
        return object != nullptr ? object : others.allocate(bytes);
    }
    static void* allocate(size_t bytes) { return takes(bytes) ? next.malloc(bytes) : allocate_slow(bytes); }
    static void release(void* object) {
        if (next_allocator.is_of_c_library(object)) {
            c_library.free(object);
        } else {
            next.free(object);
        }
    }
    static void* allocate_zeroed(size_t count, size_t size) {
        size_t bytes = 0;
        if (__builtin_mul_overflow(count, size, &bytes)) [[unlikely]] {
            return others.allocate_zeroed(count, size);
        }
        if (takes(bytes)) [[likely]] {
            return next.calloc(1, bytes);
        }
        void* object = next_allocator.allocate_zeroed(bytes);
        return object != nullptr ? object : others.allocate_zeroed(1, bytes);
    }
    // Not counted: large objects grow in place over and over, and who only does that asks for nothing that
    // the C library would serve.
    static void* reallocate(void* object, size_t bytes) {
        return bytes != 0 ? next.realloc(object, bytes) : others.reallocate(object, bytes);
    }
    static void* create(size_t bytes) {
        void* object = takes(bytes) ? next.malloc(bytes) : next_allocator.allocate(bytes);
        return object != nullptr ? object : others.create(bytes);
    }

    static void begin() {
        now = others;
        now.allocate = allocate;
        now.release = next.free;
        now.allocate_zeroed = allocate_zeroed;
        now.reallocate = reallocate;
        now.create = create;
    }
    static void leave() {
        now.allocate = allocate_slow;
        now.release = release;
        now.reallocate = others.reallocate;
    }
};

const malloom_entries& NextAllocator::entries(const malloom_entries& others, OnLeft told, void* argument) {
    WatchedEntries::others = others;
    WatchedEntries::begin();
    on_left_ = told;
    argument_ = argument;
    return WatchedEntries::now;
}

// While there are other threads it is not looked: the C library would give them arenas of their own.
void NextAllocator::look() {
    const bool can_tell = structures::alone() && platform::may_call();
    const size_t resident = can_tell ? platform::resident_bytes() : 0;
    if (resident <= most_resident_) {
        bytes_left = std::max(most_resident_ - resident, most_resident_ / parts_between_looks);
    } else if (program_break() == lowest_ &&
               !are_allocators_functions_used(reinterpret_cast<void*>(next.malloc))) {
        leave(resident);
    } else {
        bytes_left = SIZE_MAX;  // the break may be the next allocator's, or the program knows that one
    }
}

void NextAllocator::leave(size_t resident) {
    bytes_left = 0;
    if (is_huge_) {
        c_library.mallopt(M_TOP_PAD, huge_step_bytes);
    }
    WatchedEntries::leave();
    if (on_left_ != nullptr) {
        on_left_(argument_);
    }
    // Only now: a handler that comes before frees by the entries that there were.
    __atomic_store_n(&left_at_, resident, __ATOMIC_RELEASE);
}

}  // namespace malloom::heaps
