// Memory for the tables of this room, which are never given back.
#pragma once

#include <stddef.h>

#include <atomic>

namespace malloom::context {

/// Zeroed memory, page-aligned, straight from the operating system; null where it has none. Keeps errno.
void* table_memory(size_t bytes);

/// Hands out small pieces. Not thread-safe by itself, but whole after every store, as InsertLock asks.
class TableMemory {
  public:
    /// `bytes` of zeroed memory at a multiple of a cache line (64 bytes), or null.
    void* take(size_t bytes);

  private:
    std::atomic<unsigned char*> end_{nullptr};
    std::atomic<size_t> left_{0};  // bytes before end_ that are free
};

}  // namespace malloom::context
