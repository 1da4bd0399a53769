// The checksum of profiles and plans.
#pragma once

#include <stddef.h>
#include <stdint.h>

namespace malloom::stream {

/// XXH3-64 of the bytes, seed 0. Any thread, signal handlers too.
uint64_t checksum(const void* bytes, size_t size);

/// The same of bytes that come in parts. For one thread at a time.
class Checksum {
  public:
    Checksum();
    void add(const void* bytes, size_t size);
    uint64_t value() const;

  private:
    alignas(64) unsigned char state_[576];  // an XXH3_state_t
};

}  // namespace malloom::stream
