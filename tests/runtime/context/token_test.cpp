// Compilers' tokens as contexts.
#include "runtime/context/token.h"

#include <gtest/gtest.h>

#include "runtime/context/chain_key.h"

namespace malloom::context {
namespace {

constexpr size_t tokens[] = {1, 7, 1023, 1024, 0x1731e5dd6f7b7419, 0xbfb6c9def05a2726, SIZE_MAX};

TEST(Token, IsNeitherAnAddressNorAChain) {
    for (const size_t token : tokens) {
        EXPECT_TRUE(is_token(token_key(token)));
        const uintptr_t frames[] = {token_key(token), 0x401000};
        EXPECT_FALSE(is_token(chain_key(frames, 2)));
    }
    const uintptr_t place = reinterpret_cast<uintptr_t>(&tokens);
    for (const uintptr_t address : {uintptr_t{0}, place, (uintptr_t{1} << 57) - 1, UINTPTR_MAX}) {
        EXPECT_FALSE(is_token(address));
    }
}

TEST(Token, ComesBackAsItWas) {
    for (const size_t token : tokens) {
        EXPECT_EQ(token_of(token_key(token)), token & ((size_t{1} << token_bits) - 1));
        EXPECT_EQ(token_key(token_of(token_key(token))), token_key(token));
    }
}

TEST(Token, HasAHashOfItsOwnThatIsTheSameEverywhere) {
    const uintptr_t one = token_key(1), other = token_key(2);
    EXPECT_EQ(stable_hash_or_token(&one, 1), formats::token_hash(1));
    EXPECT_NE(stable_hash_or_token(&one, 1), stable_hash_or_token(&other, 1));
    EXPECT_NE(stable_hash_or_token(&one, 1), stable_hash(&one, 1));
    const auto here = reinterpret_cast<uintptr_t>(&is_token);
    EXPECT_EQ(stable_hash_or_token(&here, 1), stable_hash(&here, 1));
    // Of plans that were written: it must stay.
    static_assert(formats::token_hash(7) ==
                  formats::fold_frame(formats::context_seed, formats::frame_hash(0x746f6b656e730001, 7)));
}

}  // namespace
}  // namespace malloom::context
