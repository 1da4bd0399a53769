// Pools of structures whose objects differ in size, for compiled code (include/malloom/pools.h): one for each
// size class of each structure.
#include <stdlib.h>
#include <string.h>

#include "include/malloom/pools.h"
#include "runtime/compiled/new_of_program.h"
#include "runtime/compiled/pools.h"
#include "runtime/platform/undisturbed.h"

namespace malloom::compiled {

namespace {

using heaps::PoolHeap;

// Classes are 16 bytes apart up to 128, and four to each doubling from there on to the largest chunk.
constexpr unsigned fine_classes = 8, classes_a_doubling = 4, size_classes = 40;
constexpr unsigned fine_bits = 7;

constexpr unsigned class_of(size_t bytes) {
    const size_t last = bytes != 0 ? bytes - 1 : 0;
    if (last >> fine_bits == 0) {
        return static_cast<unsigned>(last / heaps::granule_bytes);
    }
    const auto top = static_cast<unsigned>(63 - __builtin_clzll(last));
    const auto quarter = static_cast<unsigned>(last >> (top - 2)) % classes_a_doubling;
    return fine_classes + (top - fine_bits) * classes_a_doubling + quarter;
}

constexpr size_t bytes_of_class(unsigned number) {
    if (number < fine_classes) {
        return (number + 1) * heaps::granule_bytes;
    }
    const unsigned top = fine_bits + (number - fine_classes) / classes_a_doubling;
    return (size_t{1} << top) + ((number - fine_classes) % classes_a_doubling + 1) * (size_t{1} << (top - 2));
}

static_assert(class_of(heaps::largest_chunk) == size_classes - 1);
static_assert(bytes_of_class(size_classes - 1) == heaps::largest_chunk);
// The limits that compilers are told are the heap's.
static_assert(heaps::largest_chunk == MALLOOM_LARGEST_OBJECT && heaps::largest_range == MALLOOM_LARGEST_POOL);
static_assert(class_of(128) == 7 && class_of(129) == 8 && bytes_of_class(8) == 160);

/// Of one structure and class.
struct SizedPools {
    uint32_t client;    ///< atomic
    uint32_t requests;  ///< while it has none; atomic
};

constinit SizedPools sized[MALLOOM_MOST_STRUCTURES][size_classes] = {};

/// A few objects are not worth pages of their own: they lie with those of other structures.
constexpr uint32_t shared_requests = 64;

/// None in handlers of a fork, whose thread has the lock.
[[gnu::noinline]] uint32_t find_client(SizedPools& of_size, size_t bytes) {
    if (making_clients.is_mine()) {
        return PoolHeap::none;
    }
    const platform::Undisturbed undisturbed;  // a handler would wait for this thread
    const structures::Locked locked(making_clients);
    if (!open_pools()) {
        return PoolHeap::none;
    }
    PoolHeap& heap = pools.heap;
    const bool is_wanted = __atomic_load_n(&of_size.requests, __ATOMIC_RELAXED) >= shared_requests;
    if (of_size.client == PoolHeap::none && is_wanted) {
        const uint32_t made = heap.add(bytes);
        __atomic_store_n(&of_size.client, made != PoolHeap::none ? made : heap.common(bytes),
                         __ATOMIC_RELEASE);
    }
    return of_size.client != PoolHeap::none ? of_size.client : heap.common(bytes);
}

[[gnu::always_inline]] inline uint32_t client_of(unsigned structure, size_t bytes) {
    const unsigned number = class_of(bytes);
    SizedPools& of_size = sized[structure][number];
    const uint32_t known = __atomic_load_n(&of_size.client, __ATOMIC_ACQUIRE);
    if (known != PoolHeap::none) [[likely]] {
        return known;
    }
    __atomic_fetch_add(&of_size.requests, 1, __ATOMIC_RELAXED);
    return find_client(of_size, bytes_of_class(number));
}

/// An object from a pool; null where pools do not take it.
[[gnu::always_inline]] inline void* take_any(unsigned structure, size_t bytes) {
    if (structure >= MALLOOM_MOST_STRUCTURES || bytes > heaps::largest_chunk) {
        return nullptr;
    }
    return take(client_of(structure, bytes));
}

char* copy_of(unsigned structure, const char* text, size_t letters) {
    auto* copy = static_cast<char*>(malloom_pool_alloc_any(structure, letters + 1));
    if (copy != nullptr) {
        memcpy(copy, text, letters);
        copy[letters] = 0;
    }
    return copy;
}

}  // namespace

}  // namespace malloom::compiled

using namespace malloom;

extern "C" {

void* malloom_pool_alloc_any(unsigned structure, size_t bytes) {
    void* object = compiled::take_any(structure, bytes);
    return object != nullptr ? object : malloc(bytes);
}

void* malloom_pool_calloc_any(unsigned structure, size_t count, size_t bytes) {
    size_t all = 0;
    const bool is_known = !__builtin_mul_overflow(count, bytes, &all);
    void* object = is_known ? compiled::take_any(structure, all) : nullptr;
    return object != nullptr ? memset(object, 0, all) : calloc(count, bytes);
}

void* malloom_pool_new_any(unsigned structure, size_t bytes) {
    void* object = compiled::take_any(structure, bytes);
    return object != nullptr ? object : compiled::operator_new_of_program(bytes);
}

void* malloom_pool_new_or_null_any(unsigned structure, size_t bytes, malloom_new_or_null* otherwise,
                                   const void* nothrow) {
    void* object = compiled::take_any(structure, bytes);
    return object != nullptr ? object : otherwise(bytes, nothrow);
}

void* malloom_pool_realloc(unsigned structure, void* object, size_t bytes) {
    if (object == nullptr) {
        return malloom_pool_alloc_any(structure, bytes);
    }
    if (!compiled::pools.owns(object)) {
        return realloc(object, bytes);
    }
    const size_t room = compiled::pools.heap.pool_of_object(object).chunk_bytes;
    if (bytes != 0 && heaps::fits_room(bytes, room)) {
        return object;
    }
    void* moved = bytes != 0 ? malloom_pool_alloc_any(structure, bytes) : nullptr;
    if (moved != nullptr) {
        memcpy(moved, object, room < bytes ? room : bytes);
    }
    if (moved != nullptr || bytes == 0) {
        compiled::pools.deallocate(object);
    }
    return moved;
}

char* malloom_pool_strdup(unsigned structure, const char* text) {
    return compiled::copy_of(structure, text, strlen(text));
}

char* malloom_pool_strndup(unsigned structure, const char* text, size_t most) {
    return compiled::copy_of(structure, text, strnlen(text, most));
}

}  // extern "C"
