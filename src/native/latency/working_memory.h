// Memory to be measured.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include <span>

namespace malloom::native {

/// Anonymous memory that begins at a multiple of 2 MiB, owned. Not thread-safe.
class WorkingMemory {
  public:
    enum class Pages : uint8_t {
        huge,  ///< where the kernel has them to give
        small
    };

    /// Reserves addresses only. Throws std::bad_alloc where there are none.
    WorkingMemory(uint64_t bytes, Pages pages);
    ~WorkingMemory();
    WorkingMemory(const WorkingMemory&) = delete;
    WorkingMemory& operator=(const WorkingMemory&) = delete;

    /// The first `bytes`, each page of them resident. Throws std::out_of_range where that is more than there
    /// is.
    std::span<std::byte> resident(uint64_t bytes);

  private:
    uint64_t bytes_;
    uint64_t mapped_bytes_;
    void* mapping_;
    std::byte* begin_ = nullptr;
    uint64_t resident_bytes_ = 0;
};

}  // namespace malloom::native
