#include "runtime/platform/real_allocator.h"

#include <dlfcn.h>
#include <malloc.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/platform/memory.h"
#include "runtime/platform/output.h"

namespace malloom::platform::real {

namespace {

Functions functions;
bool resolved = false;
// Set while this thread is inside dlsym, whose own requests must not come back here.
[[gnu::tls_model("initial-exec")]] thread_local bool resolving = false;

// dlsym asks for a few hundred bytes at most (its error text).
constexpr size_t bootstrap_bytes = 16 * 1024;
constexpr size_t granule = 16;
alignas(granule) unsigned char bootstrap[bootstrap_bytes];
size_t bootstrap_used = 0;

bool is_bootstrap(const void* object) {
    return reinterpret_cast<uintptr_t>(object) - reinterpret_cast<uintptr_t>(bootstrap) < bootstrap_bytes;
}

// The object's size lies in the granule before it.
size_t bootstrap_size(const void* object) {
    size_t bytes = 0;
    memcpy(&bytes, static_cast<const unsigned char*>(object) - granule, sizeof bytes);
    return bytes;
}

void* bootstrap_allocate(size_t alignment, size_t bytes) {
    if (alignment > granule || bytes > bootstrap_bytes) {
        return nullptr;
    }
    const size_t room = granule + round_up(bytes, granule);
    const size_t start = __atomic_fetch_add(&bootstrap_used, room, __ATOMIC_RELAXED);
    if (start + room > bootstrap_bytes) {
        return nullptr;
    }
    memcpy(bootstrap + start, &bytes, sizeof bytes);
    return bootstrap + start + granule;
}

template <typename Function>
void find(Function& function, const char* name) {
    auto found = reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
    if (found == nullptr) {
        abort_with(
            "malloom: no allocator follows this library; preload it only into dynamically linked programs");
    }
    if (__atomic_load_n(&function, __ATOMIC_RELAXED) != found) {  // others may be using it
        __atomic_store_n(&function, found, __ATOMIC_RELAXED);
    }
}

void resolve_all() {
    resolving = true;
    find(functions.malloc, "malloc");
    find(functions.calloc, "calloc");
    find(functions.realloc, "realloc");
    find(functions.free, "free");
    find(functions.memalign, "memalign");
    find(functions.malloc_usable_size, "malloc_usable_size");
    resolving = false;
    __atomic_store_n(&resolved, true, __ATOMIC_RELEASE);
}

// False while this thread is inside dlsym. Threads that race here find the same functions twice, which is
// harmless. Apart, so that who finds it done saves no register for it.
[[gnu::noinline, gnu::cold]] bool become_ready() {
    if (resolving) {
        return false;
    }
    resolve_all();
    return true;
}

bool ready() {
    return __atomic_load_n(&resolved, __ATOMIC_ACQUIRE) || become_ready();
}

void* move_from_bootstrap(void* object, size_t bytes) {
    void* moved = allocate(bytes);
    if (moved != nullptr) {
        const size_t old = bootstrap_size(object);
        memcpy(moved, object, old < bytes ? old : bytes);
    }
    return moved;
}

}  // namespace

// There is no such parameter.
void make_ready() {
    mallopt(0, 0);
}

const Functions* functions_alone() {
    return ready() && __atomic_load_n(&bootstrap_used, __ATOMIC_RELAXED) == 0 ? &functions : nullptr;
}

void resolve() {
    ready();
}

void* allocate(size_t bytes) {
    return ready() ? functions.malloc(bytes) : bootstrap_allocate(granule, bytes);
}

void* allocate_zeroed(size_t count, size_t bytes) {
    if (ready()) [[likely]] {
        return functions.calloc(count, bytes);
    }
    size_t total = 0;
    // The buffer is zero from the start and no part of it is used twice.
    return __builtin_mul_overflow(count, bytes, &total) ? nullptr : bootstrap_allocate(granule, total);
}

void* allocate_aligned(size_t alignment, size_t bytes) {
    return ready() ? functions.memalign(alignment, bytes) : bootstrap_allocate(alignment, bytes);
}

void* reallocate(void* object, size_t bytes) {
    if (is_bootstrap(object)) {
        return move_from_bootstrap(object, bytes);
    }
    return ready() ? functions.realloc(object, bytes) : bootstrap_allocate(granule, bytes);
}

void deallocate(void* object) {
    if (!is_bootstrap(object) && ready()) {
        functions.free(object);
    }
}

void deallocate_unknown(void* object) {
    static constinit bool has_allocated = false;
    if (!__atomic_load_n(&has_allocated, __ATOMIC_RELAXED)) [[unlikely]] {
        __atomic_store_n(&has_allocated, true, __ATOMIC_RELAXED);
        deallocate(allocate(granule));
    }
    deallocate(object);
}

size_t usable_size(void* object) {
    if (is_bootstrap(object)) {
        return bootstrap_size(object);
    }
    return object != nullptr && ready() ? functions.malloc_usable_size(object) : 0;
}

}  // namespace malloom::platform::real
