// The stable identity of a call site and of a context: build-id + offset, so that it survives ASLR, restarts
// and other hosts. One definition for the recorder, the planner and the run time.
#pragma once

#include <stddef.h>
#include <stdint.h>

namespace malloom::formats {

/// Finalizer of MurmurHash3 (Appleby): every input bit reaches every output bit.
constexpr uint64_t mix(uint64_t value) {
    value ^= value >> 33;
    value *= 0xff51afd7ed558ccdULL;
    value ^= value >> 33;
    value *= 0xc4ceb9fe1a85ec53ULL;
    value ^= value >> 33;
    return value;
}

/// Hash of a module's identity: its build-id's bytes, or where it has none the bytes of its file name without
/// folders. Never 0.
constexpr uint64_t module_hash(const unsigned char* identity, size_t bytes) {
    uint64_t hash = mix(bytes + 1);
    for (size_t i = 0; i < bytes; ++i) hash = mix(hash ^ identity[i]);
    return hash != 0 ? hash : 1;
}

/// Hash of one frame. `offset` is the return address minus the module's load bias, in bytes.
constexpr uint64_t frame_hash(uint64_t module, uint64_t offset) {
    return mix(module + mix(offset));
}

/// A context's hash is folded frame by frame, innermost first, from `context_seed`. Never use the seed as a
/// context.
constexpr uint64_t context_seed = 0x6d616c6c6f6f6d31ULL;
constexpr uint64_t fold_frame(uint64_t context, uint64_t frame) {
    return mix(context ^ frame);
}

/// The context of a compiler's token, which lies in no module: equal tokens mean the same in all of them.
constexpr uint64_t token_module = 0x746f6b656e730001ULL;
constexpr uint64_t token_hash(uint64_t token) {
    return fold_frame(context_seed, frame_hash(token_module, token));
}

}  // namespace malloom::formats
