// Accesses that lie in arrays: for profiles that are made, not recorded.
#pragma once

#include <array>
#include <span>

#include "src/native/access_source.h"

namespace malloom::native {

/// Yields one access per element of two arrays of the same length, which it does not own: they must outlive
/// it.
class ArrayAccesses : public AccessSource {
  public:
    ArrayAccesses(std::span<const uint32_t> requests, std::span<const uint64_t> packed)
        : requests_(requests), packed_(packed) {}

    std::span<const ResolvedAccess> next_batch() override;

  private:
    static constexpr size_t batch_accesses = 4096;

    std::span<const uint32_t> requests_;
    std::span<const uint64_t> packed_;
    size_t next_ = 0;
    std::array<ResolvedAccess, batch_accesses> batch_;
};

}  // namespace malloom::native
