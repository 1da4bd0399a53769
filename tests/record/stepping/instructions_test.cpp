// What instructions load and store, by their code and the registers.
#include "record/stepping/instructions.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace malloom::tests {
namespace {

using stepping::Code;
using stepping::Instructions;

// Log2 of the size, and whether it stores; see AccessKind in formats/profile.def.
uint64_t load(uint64_t address, unsigned exponent) {
    return address | uint64_t{exponent} << 48;
}
uint64_t store(uint64_t address, unsigned exponent) {
    return load(address, exponent) | uint64_t{1} << 52;
}

class SteppedInstructions : public testing::Test {
  protected:
    static Instructions& instructions() {
        static auto* const one = new Instructions;  // one a process
        return *one;
    }
    static const stepping::Instruction& decoded(std::initializer_list<unsigned char> bytes) {
        Code code = {};
        std::ranges::copy(bytes, code.begin());
        return instructions().decode(code);
    }
    static std::vector<uint64_t> accesses(std::initializer_list<unsigned char> bytes) {
        user_regs_struct registers{};
        registers.rbx = 0x10000;
        registers.rcx = 4;
        registers.rsi = 0x20000;
        registers.rdi = 0x30000;
        registers.rsp = 0x40000;
        std::vector<uint64_t> entries;
        Instructions::append_accesses(decoded(bytes), registers, entries);
        return entries;
    }
    using Entries = std::vector<uint64_t>;
};

TEST_F(SteppedInstructions, AddressesAreThoseOfTheRegisters) {
    EXPECT_EQ(accesses({0x48, 0x8b, 0x44, 0xcb, 0x10}),
              Entries{load(0x10030, 3)});                                 // mov rax, [rbx+rcx*8+16]
    EXPECT_EQ(accesses({0x88, 0x03}), Entries{store(0x10000, 0)});        // mov [rbx], al
    EXPECT_EQ(accesses({0x0f, 0x11, 0x07}), Entries{store(0x30000, 4)});  // movups [rdi], xmm0
}

TEST_F(SteppedInstructions, OneLoadsAndStores) {
    EXPECT_EQ(accesses({0x83, 0x07, 0x01}), (Entries{load(0x30000, 2), store(0x30000, 2)}));  // add [rdi], 1
    EXPECT_EQ(accesses({0xf3, 0xa4}), (Entries{load(0x20000, 0), store(0x30000, 0)}));        // rep movsb
}

TEST_F(SteppedInstructions, WhatRepeatsNoTimesAccessesNothing) {
    std::vector<uint64_t> entries;
    Instructions::append_accesses(decoded({0xf3, 0xa4}), user_regs_struct{}, entries);  // rep movsb
    EXPECT_EQ(entries, Entries{});
}

TEST_F(SteppedInstructions, WhatCannotReachTheHeapIsNoAccess) {
    EXPECT_EQ(accesses({0x48, 0x8d, 0x03}), Entries{});              // lea rax, [rbx]
    EXPECT_EQ(accesses({0x48, 0x8b, 0x04, 0x24}), Entries{});        // mov rax, [rsp]
    EXPECT_EQ(accesses({0x50}), Entries{});                          // push rax
    EXPECT_EQ(accesses({0x48, 0x8b, 0x05, 1, 0, 0, 0}), Entries{});  // mov rax, [rip+1]
    EXPECT_EQ(accesses({0x64, 0x48, 0x8b, 0x03}), Entries{});        // mov rax, fs:[rbx]
}

TEST_F(SteppedInstructions, WhereAStepWouldShowThereIsNone) {
    EXPECT_TRUE(decoded({0x90}).may_be_stepped);         // nop
    EXPECT_TRUE(decoded({0xc3}).may_be_stepped);         // ret
    EXPECT_FALSE(decoded({0x9c}).may_be_stepped);        // pushf
    EXPECT_FALSE(decoded({0x9d}).may_be_stepped);        // popf
    EXPECT_FALSE(decoded({0x0f, 0x05}).may_be_stepped);  // syscall
    EXPECT_FALSE(decoded({0xcc}).may_be_stepped);        // int3
    EXPECT_FALSE(decoded({0xcd, 0x80}).may_be_stepped);  // int 0x80
    EXPECT_FALSE(decoded({0x06}).may_be_stepped);        // none at all
}

}  // namespace
}  // namespace malloom::tests
