// What compiled code calls (include/malloom/pools.h): pools of the process by the numbers that a compiler
// gives to structures. The program or shared library that it is linked into has it for itself.
#include <errno.h>
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "include/malloom/pools.h"
#include "runtime/compiled/arrays.h"
#include "runtime/compiled/new_of_program.h"
#include "runtime/compiled/pools.h"
#include "runtime/compiled/unloading.h"
#include "runtime/heaps/split/split_pools.h"
#include "runtime/platform/memory.h"
#include "runtime/platform/output.h"
#include "runtime/platform/undisturbed.h"

/// Linked in where pools are to ask for huge pages early (early_huge_pages.cpp).
extern "C" [[gnu::weak, gnu::visibility("hidden")]] const char malloom_early_huge_pages;

namespace malloom::compiled {

constinit front::ProcessPools pools;
constinit structures::ForkLock making_clients;

namespace {
/// The library has given its pools back: late destructors get nothing of them, and what they release stays.
constinit bool have_gone = false;

/// Early: from the second block on, so that a huge page is no more than what is there already. Else once it
/// is no more than may be idle.
void prefer_huge_pages() {
    heaps::PoolArena& arena = pools.heap.arena();
    if (&malloom_early_huge_pages != nullptr) {
        arena.prefer_huge_pages();
    } else {
        arena.prefer_huge_pages_when_large();
    }
}
}  // namespace

bool open_pools() {
    static constinit bool is_open = false;
    if (!is_open) {
        front::ProcessPools::prepare();
        is_open = pools.open();
        prefer_huge_pages();
    }
    return is_open && !have_gone;
}

namespace {

using heaps::PoolHeap;
using heaps::SplitShape;

// A client that another thread was making would never be made in the child.
void before_fork() {
    making_clients.hold_for_fork();
}
void after_fork() {
    making_clients.end_fork();
}

/// After the handlers of process_pools.cpp, which therefore lock after these, as the making of clients
/// does.
[[gnu::constructor(102)]] void watch_forks() {
    pthread_atfork(before_fork, after_fork, after_fork);
}

constinit heaps::SplitPools split_pools = {};
constinit uint32_t clients[MALLOOM_MOST_STRUCTURES] = {};  // by structure; none until the first request

/// The library goes, with its code; its addresses go too, but for those of objects: what the linker's -fini
/// names, and destructors of the priorities up to 100, still run and may use or release them.
[[gnu::destructor(101)]] void close_with_library() {
    if (is_unloading()) {
        have_gone = true;
        memset(clients, 0, sizeof clients);
        pools.close_but_objects();
    }
}

/// Whether the C library has served what pools had no memory for; atomic.
constinit bool has_fallen_back = false;

void* no_memory() {
    errno = ENOMEM;
    return nullptr;
}

/// As large as the alignment of all objects of that many bytes in an aligned pool, which is a page at most.
size_t alignment_of(size_t bytes) {
    const size_t largest = platform::page_bytes();
    const size_t own = bytes & ~(bytes - 1);
    return own < largest ? own : largest;
}

void note_fallback() {
    __atomic_store_n(&has_fallen_back, true, __ATOMIC_RELAXED);
}

/// From the C library, where pools have no memory: for objects that are not split it is as good.
[[gnu::noinline]] void* fall_back(size_t bytes, size_t pool_bytes) {
    note_fallback();
    const size_t alignment = pool_bytes != 0 ? alignment_of(bytes) : 0;
    return alignment > alignof(max_align_t) ? aligned_alloc(alignment, bytes) : malloc(bytes);
}

[[gnu::noinline]] void* fall_back_to_new(size_t bytes) {
    note_fallback();
    return operator_new_of_program(bytes);
}

/// A structure's first request opens the pools and makes its client; none without memory, in handlers of a
/// fork, or where there are no such structures. `first_bytes` of a shape is 0 where objects are not split.
[[gnu::noinline]] uint32_t make_client(unsigned structure, SplitShape shape) {
    if (making_clients.is_mine()) {
        return PoolHeap::none;
    }
    const platform::Undisturbed undisturbed;  // a handler would wait for this thread
    const structures::Locked locked(making_clients);
    const bool are_open = open_pools();
    if (structure >= MALLOOM_MOST_STRUCTURES) {
        return PoolHeap::none;
    }
    if (are_open && clients[structure] == PoolHeap::none) {
        PoolHeap& heap = pools.heap;
        const uint32_t made = shape.first_bytes != 0  ? split_pools.add(heap, shape)
                              : shape.pool_bytes != 0 ? heap.add_aligned(shape.object_bytes, shape.pool_bytes)
                                                      : heap.add(shape.object_bytes);
        __atomic_store_n(&clients[structure], made, __ATOMIC_RELEASE);
    }
    return clients[structure];
}

[[gnu::always_inline]] inline uint32_t client_of(unsigned structure, SplitShape shape) {
    const bool is_one = structure < MALLOOM_MOST_STRUCTURES;
    const uint32_t known = is_one ? __atomic_load_n(&clients[structure], __ATOMIC_ACQUIRE) : PoolHeap::none;
    return known != PoolHeap::none ? known : make_client(structure, shape);
}

SplitShape shape_of(size_t first_bytes, size_t bytes, size_t pool_bytes) {
    return {static_cast<uint32_t>(first_bytes), static_cast<uint32_t>(bytes),
            static_cast<uint32_t>(pool_bytes)};
}

/// An object that is not split; null without memory.
[[gnu::always_inline]] inline void* take_whole(unsigned structure, size_t bytes, size_t pool_bytes) {
    return take(client_of(structure, shape_of(0, bytes, pool_bytes)));
}

}  // namespace

}  // namespace malloom::compiled

using namespace malloom;

// The program's: whoever calls what needs them has them.
[[gnu::weak]] void operator_delete(void* object) __asm__("_ZdlPv");
[[gnu::weak]] void* operator_new_aligned(size_t bytes, size_t alignment) __asm__("_ZnwmSt11align_val_t");
[[gnu::weak]] void operator_delete_aligned(void* object, size_t alignment) __asm__("_ZdlPvSt11align_val_t");

extern "C" {

void* malloom_pool_alloc(unsigned structure, size_t bytes, size_t pool_bytes) {
    void* object = compiled::take_whole(structure, bytes, pool_bytes);
    return object != nullptr ? object : compiled::fall_back(bytes, pool_bytes);
}

void* malloom_pool_calloc(unsigned structure, size_t count, size_t bytes, size_t pool_bytes) {
    size_t all = 0;
    if (__builtin_mul_overflow(count, bytes, &all)) {
        return compiled::no_memory();
    }
    void* object = malloom_pool_alloc(structure, all, pool_bytes);
    return object != nullptr ? memset(object, 0, all) : nullptr;
}

void malloom_pool_free(void* object) {
    if (compiled::pools.owns(object)) {
        compiled::pools.deallocate(object);
    } else if (!compiled::have_gone) {
        free(object);
    }
}

void* malloom_pool_new(unsigned structure, size_t bytes, size_t pool_bytes) {
    void* object = compiled::take_whole(structure, bytes, pool_bytes);
    return object != nullptr ? object : compiled::fall_back_to_new(bytes);
}

void malloom_pool_delete(void* object) {
    if (compiled::pools.owns(object)) {
        compiled::pools.deallocate(object);
    } else if (!compiled::have_gone) {
        operator_delete(object);
    }
}

void* malloom_pool_new_or_null(unsigned structure, size_t bytes, size_t pool_bytes,
                               malloom_new_or_null* otherwise, const void* nothrow) {
    void* object = compiled::take_whole(structure, bytes, pool_bytes);
    if (object == nullptr) {
        compiled::note_fallback();
        object = otherwise(bytes, nothrow);
    }
    return object;
}

int malloom_pool_memalign(unsigned structure, void** object, size_t bytes, size_t pool_bytes) {
    void* made = malloom_pool_alloc(structure, bytes, pool_bytes);
    if (made == nullptr) {
        return ENOMEM;
    }
    *object = made;
    return 0;
}

void* malloom_pool_new_aligned(unsigned structure, size_t bytes, size_t pool_bytes, size_t alignment) {
    void* object = compiled::take_whole(structure, bytes, pool_bytes);
    if (object == nullptr) {
        compiled::note_fallback();
        object = operator_new_aligned(bytes, alignment);
    }
    return object;
}

void malloom_pool_delete_aligned(void* object, size_t alignment) {
    if (compiled::pools.owns(object)) {
        compiled::pools.deallocate(object);
    } else if (!compiled::have_gone) {
        operator_delete_aligned(object, alignment);
    }
}

void* malloom_split_alloc(unsigned structure, size_t first_bytes, size_t bytes, size_t pool_bytes) {
    const heaps::SplitShape shape = compiled::shape_of(first_bytes, bytes, pool_bytes);
    void* chunk = compiled::take(compiled::client_of(structure, shape));
    return chunk != nullptr ? heaps::SplitPools::object_of(shape, chunk) : compiled::no_memory();
}

void* malloom_split_new(unsigned structure, size_t first_bytes, size_t bytes, size_t pool_bytes) {
    // No object of the program's would have its fields where they are looked for.
    return compiled::ask_as_new(
        [=] { return malloom_split_alloc(structure, first_bytes, bytes, pool_bytes); });
}

void* malloom_split_calloc(unsigned structure, size_t first_bytes, size_t count, size_t bytes,
                           size_t pool_bytes) {
    if (count != 1 || first_bytes == 0 || bytes % first_bytes != 0) {
        return compiled::no_memory();
    }
    void* object = malloom_split_alloc(structure, first_bytes, bytes, pool_bytes);
    const size_t distance = pool_bytes / bytes * first_bytes;
    for (size_t field = 0; object != nullptr && field < bytes / first_bytes; ++field) {
        memset(static_cast<char*>(object) + field * distance, 0, first_bytes);
    }
    return object;
}

void malloom_split_free(void* object) {
    if (object == nullptr) {
        return;
    }
    const heaps::Pool* pool = compiled::pools.heap.arena().find(object);
    if (pool == nullptr && compiled::have_gone) [[unlikely]] {
        return;
    }
    compiled::pools.deallocate(pool != nullptr ? compiled::split_pools.chunk_of(*pool, object) : object);
}

// With -fmalloom-verify, before each access to so many bytes of objects of these structures.
void malloom_verify_inside(const void* address, size_t bytes, unsigned first, unsigned count) {
    const heaps::Pool* pool = compiled::pools.heap.arena().find(address);
    if (compiled::have_gone ||
        (pool == nullptr && __atomic_load_n(&compiled::has_fallen_back, __ATOMIC_RELAXED))) {
        return;  // perhaps the C library's
    }
    const heaps::Pool* end = compiled::pools.heap.arena().find(static_cast<const char*>(address) + bytes - 1);
    bool is_theirs = false;
    for (unsigned structure = first; pool != nullptr && structure < first + count; ++structure) {
        is_theirs |= compiled::clients[structure] == pool->client;
    }
    if (!is_theirs || end != pool) {
        platform::abort_with("malloom: an access to an object of a proven set does not hit its pools");
    }
}

// And of objects that are split: the bytes lie in an array of their pool, from `begin` to `end` in it.
void malloom_verify_part(const void* address, size_t bytes, size_t pool_bytes, size_t begin, size_t end) {
    const size_t in_pool = reinterpret_cast<uintptr_t>(address) & (pool_bytes - 1);
    if (in_pool < begin || in_pool + bytes > end) {
        platform::abort_with("malloom: an access to a field of a split object does not hit its array");
    }
}

// And before each other access.
void malloom_verify_outside(const void* address, size_t bytes) {
    if (bytes != 0 && (compiled::pools.owns(address) || compiled::is_in_arrays(address))) {
        platform::abort_with("malloom: an access to an object of a pool was not known to be one");
    }
}

}  // extern "C"
