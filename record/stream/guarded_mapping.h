// A file that is mapped to be read, whatever others do to it meanwhile: where it is cut, its pages beyond the
// new end read as zeros, and the process goes on (a plain mapping raises SIGBUS there).
#pragma once

#include <stddef.h>

namespace malloom::stream {

/// Not copied. Its memory stays as long as it lives; threads may read it at once. For programs of our own: it
/// has a handler of SIGBUS installed, which hands what is in none of these mappings to the one before it.
class GuardedMapping {
  public:
    GuardedMapping() = default;
    ~GuardedMapping();
    GuardedMapping(const GuardedMapping&) = delete;
    GuardedMapping& operator=(const GuardedMapping&) = delete;

    /// Maps so many bytes of a file, more than 0, once. False, with errno, where the system refuses, or too
    /// many are open.
    bool open(int descriptor, size_t bytes);

    const unsigned char* data() const { return data_; }

  private:
    const unsigned char* data_ = nullptr;
    size_t bytes_ = 0;
};

}  // namespace malloom::stream
