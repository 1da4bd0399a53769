// The smallest heap that does its work: objects one after the other, each behind a header. It shows what a
// further heap takes, and needs no operating system.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "runtime/heaps/heap.h"
#include "runtime/structures/freestanding/shared_word.h"

namespace malloom::tests {

/// Memory comes back only where the object that came last is freed. Thread-safe but for open, and in signal
/// handlers, where the machine has atomic instructions. Until open it claims nothing and owns nothing.
class BumpHeap {
  public:
    /// `region` is the caller's, and outlives all objects. False where it is too short for any.
    bool open(void* region, size_t bytes) {
        const auto start = reinterpret_cast<uintptr_t>(region);
        if (bytes < 2 * granule || round_up(start, granule) + granule > start + bytes) {
            return false;
        }
        start_ = cursor_ = start;
        end_ = (start + bytes) & ~(granule - 1);
        return true;
    }

    void* allocate(const heaps::Request& request) {
        const uintptr_t step = request.alignment > granule ? request.alignment : granule;
        for (;;) {
            const uintptr_t before = structures::load(cursor_);
            const uintptr_t object = round_up(before + sizeof(Header), step);
            if (object < before || object >= end_ || request.bytes > end_ - object) {
                return nullptr;
            }
            const uintptr_t after = object + round_up(request.bytes + (request.bytes == 0), granule);
            if (structures::replace(false, cursor_, before, after)) {
                header_of(object) = {before, after};
                return reinterpret_cast<void*>(object);
            }
        }
    }

    void deallocate(void* object) {
        const Header header = header_of(reinterpret_cast<uintptr_t>(object));
        // Whether or not it is the last one: nobody else can make the cursor end there.
        structures::replace(false, cursor_, header.after, header.before);
    }

    bool owns(const void* object) const {
        return reinterpret_cast<uintptr_t>(object) - start_ < end_ - start_;
    }
    size_t usable_size(const void* object) const {
        const auto start = reinterpret_cast<uintptr_t>(object);
        return header_of(start).after - start;
    }
    bool resize(void* object, const heaps::Request& request) const {
        return heaps::fits_room(request.bytes, usable_size(object));
    }

  private:
    struct Header {
        uintptr_t before;  ///< where the cursor was before the object came
        uintptr_t after;   ///< where it was then
    };

    static constexpr uintptr_t granule = 16;
    static constexpr uintptr_t round_up(uintptr_t value, uintptr_t step) {
        return (value + step - 1) & ~(step - 1);
    }
    static Header& header_of(uintptr_t object) { return *reinterpret_cast<Header*>(object - sizeof(Header)); }

    uintptr_t start_ = 0;
    uintptr_t end_ = 0;
    uintptr_t cursor_ = 0;  ///< what lies behind it was never used, or is free again
};

static_assert(heaps::RegionHeap<BumpHeap>);

}  // namespace malloom::tests
