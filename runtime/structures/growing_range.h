// An address range that is made usable from its beginning as far as it is needed.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "runtime/platform/address_span.h"

namespace malloom::structures {

/// All zero is a range of no bytes. What lies beyond the usable part counts nowhere: not as promised memory,
/// and not for mlockall. Thread-safe once it is open, where nothing else is said.
class GrowingRange {
  public:
    /// Reserves the addresses, at a multiple of `alignment` (a power of two). `step` bytes become usable at a
    /// time, a multiple of the page. False where address space is short. Signal handlers may have it reach
    /// too.
    bool open(size_t bytes, size_t alignment, size_t step);
    /// The same with the next addresses of a span, which outlives it.
    bool open(platform::AddressSpan& span, size_t bytes, size_t alignment, size_t step);

    /// Gives everything back.
    void close();

    /// Makes at least the first `bytes` usable; false where the range or memory is too small.
    bool reach(size_t bytes);

    /// Whether whole steps of it are usable, from its begin to its end at most. A few comparisons.
    bool is_valid() const noexcept;

    /// Whether the address lies in the usable part. Also while another thread opens the range: it holds
    /// nothing until it has reached something.
    [[gnu::always_inline]] bool holds(uintptr_t address) const {
        const size_t usable = __atomic_load_n(&usable_, __ATOMIC_ACQUIRE);
        return address - __atomic_load_n(&base_, __ATOMIC_RELAXED) < usable;
    }
    uintptr_t base() const { return base_; }
    size_t bytes() const { return bytes_; }
    /// Bytes from the base that may be touched; only ever grows.
    [[gnu::always_inline]] size_t usable() const { return __atomic_load_n(&usable_, __ATOMIC_RELAXED); }

  private:
    bool make_usable(size_t had, size_t wanted);
    bool have_others_reached(size_t had) const;

    platform::AddressSpan* span_ = nullptr;  ///< none where it reserved addresses by itself
    uintptr_t base_ = 0;
    size_t usable_ = 0;
    size_t bytes_ = 0;
    size_t step_ = 0;
    unsigned reaching_ = 0;  ///< threads that ask the system now
};

}  // namespace malloom::structures
