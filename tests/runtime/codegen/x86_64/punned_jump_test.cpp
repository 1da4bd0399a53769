#include "runtime/codegen/x86_64/punned_jump.h"

#include <gtest/gtest.h>

#include <cstring>

namespace malloom {
namespace {

using codegen::x86_64::PunnedJump;

constexpr uintptr_t address = 0x555555554321;
// Six bytes of an instruction and what follows it.
constexpr unsigned char code[] = {0x48, 0x8b, 0x40, 0x08, 0x48, 0x01, 0x02, 0x83, 0x04, 0x05};

/// Where the jump goes that now stands in `bytes`.
uintptr_t target_in(const unsigned char* bytes) {
    unsigned opcode = 0;
    while (bytes[opcode] == 0x26) {
        ++opcode;
    }
    EXPECT_EQ(bytes[opcode], 0xe9);
    int32_t distance = 0;
    memcpy(&distance, bytes + opcode + 1, sizeof distance);
    return address + opcode + 5 + static_cast<uintptr_t>(distance);
}

void expect_reaches(const PunnedJump& jump, unsigned length, uintptr_t target) {
    codegen::x86_64::Zydis zydis;
    ASSERT_TRUE(zydis.open());
    unsigned char jump_bytes[PunnedJump::most_bytes];
    const unsigned size = jump.write(zydis, target, jump_bytes);
    EXPECT_GT(size, 0u);
    EXPECT_LE(size, length);
    unsigned char bytes[sizeof code];
    memcpy(bytes, code, sizeof code);
    memcpy(bytes, jump_bytes, size);
    EXPECT_EQ(target_in(bytes), target);
}

TEST(PunnedJump, AnInstructionOfFiveBytesLeadsAnywhereWithinTwoGigabytes) {
    for (const unsigned length : {5U, 6U}) {
        const PunnedJump jump(address, length, 0, code);
        EXPECT_EQ(jump.lowest(), address + 5 - (uintptr_t{1} << 31));
        EXPECT_EQ(jump.highest(), address + 4 + (uintptr_t{1} << 31));
        expect_reaches(jump, length, jump.lowest());
        expect_reaches(jump, length, jump.highest());
    }
}

TEST(PunnedJump, WhatFollowsAShorterOneFixesTheHighBytes) {
    for (unsigned length = 1; length < 5; ++length) {
        for (unsigned prefixes = 0; prefixes < length; ++prefixes) {
            const PunnedJump jump(address, length, prefixes, code);
            EXPECT_EQ(jump.highest() - jump.lowest(), (uintptr_t{1} << (8 * (length - prefixes - 1))) - 1);
            expect_reaches(jump, length, jump.lowest());
            expect_reaches(jump, length, jump.highest());
        }
    }
}

TEST(PunnedJump, TargetsOutOfReachAreRefused) {
    codegen::x86_64::Zydis zydis;
    ASSERT_TRUE(zydis.open());
    for (const unsigned length : {2U, 4U, 5U}) {
        const PunnedJump jump(address, length, 0, code);
        unsigned char bytes[PunnedJump::most_bytes];
        EXPECT_EQ(jump.write(zydis, jump.lowest() - 1, bytes), 0u);
        EXPECT_EQ(jump.write(zydis, jump.highest() + 1, bytes), 0u);
    }
}

TEST(PunnedJump, NothingLiesBelowAddressZero) {
    const PunnedJump jump(0x401000, 5, 0, code);
    EXPECT_EQ(jump.lowest(), 0u);
    EXPECT_EQ(jump.highest(), 0x401004u + (uintptr_t{1} << 31));
}

}  // namespace
}  // namespace malloom
