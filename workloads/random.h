// The workloads' own generator of random numbers: xorshift64* (Vigna 2016), small, and the same everywhere.
// Nothing here allocates.
#ifndef WORKLOADS_RANDOM_H
#define WORKLOADS_RANDOM_H

#include <stdint.h>

/// The state that begins the sequence of `seed`; never 0, which would stay 0.
static inline uint64_t random_begin(uint64_t seed) {
    return (seed * UINT64_C(0x9e3779b97f4a7c15)) | 1;
}

/// The next 64 random bits.
static inline uint64_t random_bits(uint64_t* state) {
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return *state * UINT64_C(0x2545f4914f6cdd1d);
}

/// A number from 0 to bound - 1, for 1 <= bound <= 2^32; uneven by at most bound / 2^32.
static inline uint64_t random_below(uint64_t* state, uint64_t bound) {
    return ((random_bits(state) >> 32) * bound) >> 32;
}

/// A number from 0 inclusive to 1 exclusive, a multiple of 2^-53.
static inline double random_unit(uint64_t* state) {
    return (double)(random_bits(state) >> 11) * 0x1p-53;
}

#endif
