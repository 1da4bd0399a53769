// One number for a call chain of this process.
#pragma once

#include <stdint.h>

namespace malloom::context {

/// Fixed odd numbers, one a frame (xorshift64* from a fixed seed).
struct ChainKeyConstants {
    uint64_t of_frame[32];
};
consteval ChainKeyConstants make_chain_key_constants() {
    ChainKeyConstants constants{};
    uint64_t state = 0x9e3779b97f4a7c15ULL;
    for (uint64_t& constant : constants.of_frame) {
        state ^= state >> 12;
        state ^= state << 25;
        state ^= state >> 27;
        constant = (state * 0x2545f4914f6cdd1dULL) | 1;
    }
    return constants;
}
inline constexpr ChainKeyConstants chain_key_constants = make_chain_key_constants();

/// The key of a chain, never 0. One frame is its own key. Longer chains are hashed by NH (Black, Halevi,
/// Krawczyk, Krovetz, Rogaway: UMAC, CRYPTO 1999): the sum of 128-bit products of pairs of frames, one
/// multiplication for two frames and none waiting for another; then folded to 63 bits. Two of n chains share
/// a key with probability of about n^2 / 2^64: 2^-24 for a million contexts. So equal keys are taken for
/// equal chains.
[[gnu::always_inline]] inline uint64_t chain_key(const uintptr_t* frames, unsigned depth) {
    if (depth == 1) {
        return frames[0];
    }
    constexpr uint64_t hashed = uint64_t{1} << 63;
    const uint64_t* constants = chain_key_constants.of_frame;
    unsigned __int128 sum = depth;
    unsigned i = 0;
    for (; i + 1 < depth; i += 2) {
        sum += static_cast<unsigned __int128>(frames[i] + constants[i]) * (frames[i + 1] + constants[i + 1]);
    }
    if (i < depth) {
        sum += static_cast<unsigned __int128>(frames[i] + constants[i]) * constants[31];
    }
    const auto low = static_cast<uint64_t>(sum);
    const auto high = static_cast<uint64_t>(sum >> 64);
    return (low ^ high * 0x9fb21c651e98df25ULL) | hashed;
}

}  // namespace malloom::context
