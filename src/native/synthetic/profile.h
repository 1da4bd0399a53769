// Writes profiles that no program made, quickly and of any size: for measurements and tests of scale.
#pragma once

#include <stdint.h>

#include <string>

namespace malloom::native {

struct SyntheticShape {
    uint64_t requests = 1000;
    uint64_t accesses = 10000;
    uint32_t threads = 1;
    uint32_t contexts = 16;
    uint64_t seed = 1;
};

/// A program that builds `requests` objects of 16 to 256 bytes, frees every eighth again, and walks over what
/// lives in an order that is neither that of building nor random: strides through a permutation, each object
/// touched one to four times. False when the file cannot be written.
bool write_synthetic_profile(const SyntheticShape& shape, const std::string& path);

}  // namespace malloom::native
