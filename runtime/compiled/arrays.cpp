// Arrays of structures that compiled code has split (include/malloom/pools.h): a region of addresses for each
// structure, from its first request on.
#include "runtime/compiled/arrays.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>

#include <new>

#include "include/malloom/pools.h"
#include "runtime/compiled/new_of_program.h"
#include "runtime/compiled/unloading.h"
#include "runtime/heaps/arrays/array_region.h"
#include "runtime/platform/memory.h"
#include "runtime/platform/output.h"
#include "runtime/platform/undisturbed.h"
#include "runtime/structures/thread_lock.h"

namespace malloom::compiled {

namespace {

using heaps::ArrayRegion;
using heaps::ElementRuns;
using structures::ForkLock;

/// Of addresses, for all elements of a structure.
constexpr size_t region_bytes = sizeof(void*) == 8 ? size_t{1} << 36 : size_t{1} << 28;

/// What malloom_arrays::state points to.
struct CompiledArrays {
    ArrayRegion region;
    ForkLock lock;
    CompiledArrays* next;  ///< of those that opened before
};

constinit ForkLock opening;
constinit CompiledArrays* newest = nullptr;  // atomic; grows under the lock
constinit bool have_gone = false;            // with the library: late destructors get none, and release none

/// Has a lock for a scope. Where there are other threads, no handler runs in it: they would wait for whoever
/// interrupted the holder. Where there are none, a handler does not wait for its own thread but goes without.
class Held {
  public:
    explicit Held(ForkLock& lock) : lock_(lock), is_alone_(structures::alone()) {
        if (!is_alone_) {
            disturbances_.hold_off();
        }
        was_mine_ = lock_.is_mine();
        if (!was_mine_) {
            lock_.lock();
        }
        __atomic_signal_fence(__ATOMIC_SEQ_CST);
    }
    ~Held() {
        __atomic_signal_fence(__ATOMIC_SEQ_CST);
        if (!was_mine_) {
            lock_.unlock();
        }
        if (!is_alone_) {
            disturbances_.let_in();
        }
    }
    Held(const Held&) = delete;
    Held& operator=(const Held&) = delete;

    /// Whether what is locked is whole. It is, too, for other handlers of a fork, which come while their
    /// thread has all locks.
    bool is_whole() const { return !was_mine_ || lock_.is_held_for_fork(); }

  private:
    platform::Disturbances disturbances_;
    ForkLock& lock_;
    bool is_alone_;
    bool was_mine_ = false;
};

// The forking thread has all locks, so that the child finds what they guard whole.
void before_fork() {
    opening.hold_for_fork();
    for (CompiledArrays* arrays = newest; arrays != nullptr; arrays = arrays->next) {
        arrays->lock.hold_for_fork();
    }
}
void after_fork() {
    for (CompiledArrays* arrays = newest; arrays != nullptr; arrays = arrays->next) {
        arrays->lock.end_fork();
    }
    opening.end_fork();
}

/// Before the program's own handlers of forks, which then come while nothing is locked: they may wait for
/// threads that ask for arrays.
[[gnu::constructor(101)]] void watch_forks() {
    pthread_atfork(before_fork, after_fork, after_fork);
}

/// The library goes, with its code; its addresses go too.
[[gnu::destructor(101)]] void close_with_library() {
    have_gone = is_unloading();
    while (have_gone && newest != nullptr) {
        CompiledArrays* arrays = newest;
        newest = arrays->next;
        arrays->region.close_but_objects();
        platform::unmap_pages(arrays, sizeof(CompiledArrays));
    }
}

CompiledArrays* state_of(const malloom_arrays& of) {
    return static_cast<CompiledArrays*>(__atomic_load_n(&of.state, __ATOMIC_ACQUIRE));
}

[[gnu::noinline]] CompiledArrays* open_arrays(malloom_arrays& of, size_t elements) {
    const int saved = errno;
    const Held held(opening);
    if (state_of(of) != nullptr || of.parts > MALLOOM_MOST_PARTS || !held.is_whole()) {
        return state_of(of);
    }
    void* memory = platform::map_pages(sizeof(CompiledArrays));
    if (memory == nullptr) {
        return nullptr;
    }
    auto* made = ::new (memory) CompiledArrays();
    if (!made->region.open({of.parts, of.structure_bytes, of.element_bytes}, of.begins, region_bytes,
                           elements)) {
        platform::unmap_pages(memory, sizeof(CompiledArrays));
        return nullptr;
    }
    made->next = newest;
    __atomic_store_n(&newest, made, __ATOMIC_RELEASE);
    __atomic_store_n(&of.state, made, __ATOMIC_RELEASE);
    errno = saved;
    return made;
}

size_t elements_for(const malloom_arrays& of, size_t bytes) {
    if (bytes <= of.structure_bytes || of.structure_bytes == 0) {
        return 1;
    }
    return bytes / of.structure_bytes + (bytes % of.structure_bytes != 0);
}

ElementRuns::Taken take_slowly(CompiledArrays& arrays, size_t elements) {
    const Held held(arrays.lock);
    return held.is_whole() ? arrays.region.take(elements) : ElementRuns::Taken{};
}

void* take_elements(malloom_arrays& of, size_t bytes, bool are_zeroed) {
    const size_t elements = elements_for(of, bytes);
    CompiledArrays* arrays = have_gone ? nullptr : state_of(of);
    if (arrays == nullptr && !have_gone) {
        arrays = open_arrays(of, elements);
    }
    ElementRuns::Taken taken = arrays != nullptr ? arrays->region.take_fast(elements) : ElementRuns::Taken{};
    if (arrays != nullptr && taken.units == 0) {
        taken = take_slowly(*arrays, elements);
    }
    if (taken.units == 0) {
        errno = ENOMEM;
        return nullptr;
    }
    if (are_zeroed) {
        arrays->region.zero(taken);
    }
    return arrays->region.address_of(taken);
}

// What a handler gives back while its thread has the lock is not used again.
void give_slowly(CompiledArrays& arrays, const void* first_element) {
    const Held held(arrays.lock);
    if (held.is_whole()) {
        arrays.region.give(first_element);
    }
}

}  // namespace

bool is_in_arrays(const void* address) {
    const CompiledArrays* arrays = __atomic_load_n(&newest, __ATOMIC_ACQUIRE);
    while (arrays != nullptr && !arrays->region.holds(address, 1)) {
        arrays = arrays->next;
    }
    return arrays != nullptr;
}

}  // namespace malloom::compiled

using namespace malloom;

extern "C" {

void* malloom_array_alloc(malloom_arrays* of, size_t bytes) {
    return compiled::take_elements(*of, bytes, false);
}

void* malloom_array_calloc(malloom_arrays* of, size_t count, size_t bytes) {
    size_t all = 0;
    if (__builtin_mul_overflow(count, bytes, &all)) {
        errno = ENOMEM;
        return nullptr;
    }
    return compiled::take_elements(*of, all, true);
}

void* malloom_array_new(malloom_arrays* of, size_t bytes) {
    // No array of the program's would have its parts where they are looked for.
    return compiled::ask_as_new([=] { return malloom_array_alloc(of, bytes); });
}

void malloom_array_free(malloom_arrays* of, void* first_element) {
    if (first_element == nullptr || compiled::have_gone) {
        return;
    }
    compiled::CompiledArrays* arrays = compiled::state_of(*of);
    if (arrays == nullptr) {
        platform::abort_with("malloom: free of an address where no object begins");
    }
    if (!arrays->region.give_fast(first_element)) {
        compiled::give_slowly(*arrays, first_element);
    }
}

// With -fmalloom-verify, before each access to so many bytes of elements of this structure.
void malloom_check_array(const malloom_arrays* of, const void* address, size_t bytes) {
    if (compiled::have_gone) {
        return;
    }
    const compiled::CompiledArrays* arrays = compiled::state_of(*of);
    if (bytes != 0 && (arrays == nullptr || !arrays->region.holds(address, bytes))) {
        platform::abort_with("malloom: an access to an element of a proven set does not hit its arrays");
    }
}

}  // extern "C"
