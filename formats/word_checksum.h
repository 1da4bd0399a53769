// The checksum of what compilers read too, who link no library of hashes: of site keys and tables of fields.
#pragma once

#include <stddef.h>
#include <string.h>

#include "formats/context_hash.h"

namespace malloom::formats {

/// The sum over all words of 8 bytes of mix(word xor mix(position)), positions from 1; the word at
/// `left_out`, which holds the checksum itself, counts as 0. So each damaged word changes the sum, and words
/// that changed places do. `bytes` is a multiple of 8.
inline uint64_t word_checksum(const unsigned char* start, size_t bytes, size_t left_out) {
    uint64_t sum = 0;
    for (size_t at = 0; at < bytes; at += sizeof(uint64_t)) {
        uint64_t word = 0;
        if (at != left_out) memcpy(&word, start + at, sizeof word);
        sum += mix(word ^ mix(at / sizeof word + 1));
    }
    return sum;
}

}  // namespace malloom::formats
