// The checksum of profiles and plans.
#pragma once

#include <stddef.h>
#include <stdint.h>

namespace malloom::stream {

/// XXH3-64 of the bytes, seed 0. Any thread, signal handlers too.
uint64_t checksum(const void* bytes, size_t size);

}  // namespace malloom::stream
