// Two heaps as one: the first is asked first, what it does not claim goes to the rest. Cascades nest, so a
// product's heap is one type with no choice left for run time.
#pragma once

#include <string.h>

#include "runtime/heaps/heap.h"

namespace malloom::heaps {

template <ClaimingHeap First, CompleteHeap Rest>
class Cascade {
  public:
    First first;
    Rest rest;

    [[gnu::always_inline]] void* allocate(const Request& request) {
        void* object = first.allocate(request);
        return object != nullptr ? object : rest.allocate(request);
    }

    [[gnu::always_inline]] void* allocate_zeroed(const Request& request) {
        void* object = first.allocate(request);
        return object != nullptr ? memset(object, 0, request.bytes) : rest.allocate_zeroed(request);
    }

    void* reallocate(void* object, const Request& request) {
        if (first.owns(object)) {
            if (first.resize(object, request)) {
                return object;
            }
            return move(first, object, allocate(request), request.bytes);
        }
        if (void* moved = first.allocate(request)) {
            return move(rest, object, moved, request.bytes);
        }
        return rest.reallocate(object, request);
    }

    [[gnu::always_inline]] void deallocate(void* object) {
        if (first.owns(object)) {
            first.deallocate(object);
        } else {
            rest.deallocate(object);
        }
    }

    [[gnu::always_inline]] bool owns(const void* object) const {
        return first.owns(object) || rest.owns(object);
    }

    size_t usable_size(const void* object) const {
        return first.owns(object) ? first.usable_size(object) : rest.usable_size(object);
    }

  private:
    template <Heap Old>
    static void* move(Old& old, void* object, void* moved, size_t bytes) {
        if (moved != nullptr) {
            const size_t had = old.usable_size(object);
            memcpy(moved, object, had < bytes ? had : bytes);
            old.deallocate(object);
        }
        return moved;
    }
};

}  // namespace malloom::heaps
