#include "runtime/heaps/fallback/interrupted_objects.h"

#include <algorithm>

#include "runtime/platform/memory.h"

namespace malloom::heaps {

constinit InterruptedObjects interrupted_objects;

// False where another was faster, whose state is then seen.
bool InterruptedObjects::replace(State& seen, State wanted) {
    return __atomic_compare_exchange(&state_, &seen, &wanted, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
}

void* InterruptedObjects::allocate(size_t bytes, size_t alignment) {
    const size_t aligned = std::max(alignment, granule);
    if (bytes >= area_bytes || aligned >= area_bytes) {
        return nullptr;
    }
    const auto area = reinterpret_cast<uintptr_t>(area_);
    State seen;
    __atomic_load(&state_, &seen, __ATOMIC_ACQUIRE);
    uintptr_t object, end;
    do {
        // In front of the object is its size.
        object = platform::round_up(area + seen.used + granule, aligned);
        end = platform::round_up(object + std::max<size_t>(bytes, 1), granule);
        if (end > area + area_bytes) {
            return nullptr;
        }
    } while (!replace(seen, {seen.objects + 1, static_cast<uint32_t>(end - area)}));
    reinterpret_cast<size_t*>(object)[-1] = end - object;
    return reinterpret_cast<void*>(object);
}

void InterruptedObjects::deallocate(void* object) {
    // What is freed twice counts once: others may still have objects here.
    if (__atomic_exchange_n(&static_cast<size_t*>(object)[-1], 0, __ATOMIC_RELAXED) == 0) {
        return;
    }
    State seen;
    __atomic_load(&state_, &seen, __ATOMIC_ACQUIRE);
    while (!replace(seen, {seen.objects - 1, seen.objects == 1 ? 0 : seen.used})) {
    }
}

size_t InterruptedObjects::usable_size(const void* object) const {
    return static_cast<const size_t*>(object)[-1];
}

}  // namespace malloom::heaps
