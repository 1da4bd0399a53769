// Who asks where a compiler says it, by a number that it passes with each request for memory (clang's
// -fsanitize=alloc-token): a context without a place in the program. Equal tokens are one context, in
// whatever function and module they are passed.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "formats/context_hash.h"
#include "runtime/context/modules.h"

namespace malloom::context {

inline constexpr unsigned token_bits = 62;

/// A token as the one frame of a chain: neither an address nor the key of a longer chain, which have bit 62
/// clear and bit 63 set. Of tokens of 64 bits that are hashes the two highest bits are left out.
constexpr uintptr_t token_key(size_t token) {
    constexpr uintptr_t mark = uintptr_t{1} << token_bits;
    return (token & (mark - 1)) | mark;
}
constexpr bool is_token(uintptr_t frame) {
    return frame >> token_bits == 1;
}
constexpr uint64_t token_of(uintptr_t key) {
    return key & ((uint64_t{1} << token_bits) - 1);
}

/// stable_hash, where the chain may be a token.
inline uint64_t stable_hash_or_token(const uintptr_t* frames, unsigned count) {
    return is_token(frames[0]) ? formats::token_hash(token_of(frames[0])) : stable_hash(frames, count);
}

}  // namespace malloom::context
