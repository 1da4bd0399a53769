// What is emitted against what the decoder makes of it, and emitted code against the same in C++.
#include "runtime/codegen/x86_64/emitter.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <vector>

#include "runtime/codegen/code_pages.h"

namespace malloom {
namespace {

using codegen::x86_64::Address;
using codegen::x86_64::Emitter;
using codegen::x86_64::Instruction;
using codegen::x86_64::no_register;
using codegen::x86_64::stack_pointer;
using codegen::x86_64::Zydis;

constexpr uintptr_t address = 0x555555554321;
constexpr unsigned char unwritten = 0xaa;

/// The one instruction that stands in a room.
struct Decoded {
    ZydisDecodedInstruction instruction;
    Zydis::Operands operands;

    unsigned reg(unsigned operand, ZydisRegister first) const {
        EXPECT_EQ(operands[operand].type, ZYDIS_OPERAND_TYPE_REGISTER);
        return operands[operand].reg.value - first;
    }
};

class EmitterTest : public testing::Test {
  protected:
    void SetUp() override {
        ASSERT_TRUE(zydis_.open());
        std::fill(std::begin(room_), std::end(room_), unwritten);
    }

    /// Emits one instruction and decodes all that was written.
    template <typename Emit>
    Decoded decoded(Emit emit) {
        Emitter code(zydis_, room_, address);
        emit(code);
        Decoded found = {};
        EXPECT_TRUE(code.is_whole());
        EXPECT_TRUE(zydis_.decode(room_, code.size(), found.instruction, found.operands));
        EXPECT_EQ(found.instruction.length, code.size());
        return found;
    }

    /// Where the jump leads that stands at an offset.
    uintptr_t target_at(size_t offset) const {
        Zydis::Operands operands;
        ZydisDecodedInstruction found;
        EXPECT_TRUE(zydis_.decode(room_ + offset, sizeof room_ - offset, found, operands));
        return address + offset + found.length + static_cast<uintptr_t>(operands[0].imm.value.s);
    }

    Zydis zydis_;
    unsigned char room_[256];
};

std::vector<Address> addresses() {
    std::vector<Address> all;
    for (uint8_t base = 0; base <= no_register; ++base) {
        for (uint8_t index = 0; index <= no_register; ++index) {
            for (const uint8_t scale : {1, 2, 4, 8}) {
                for (const int64_t displacement : {0, 1, -1, 127, 128, -128, -129, INT32_MAX, INT32_MIN}) {
                    if (index != stack_pointer && (index != no_register || scale == 1)) {
                        all.push_back({base, index, scale, displacement});
                    }
                }
            }
        }
    }
    return all;
}

unsigned number_of(ZydisRegister reg) {
    return reg == ZYDIS_REGISTER_NONE ? no_register : reg - ZYDIS_REGISTER_RAX;
}

void expect_address(const Decoded& found, unsigned operand, const Address& wanted, unsigned bytes) {
    ASSERT_EQ(found.operands[operand].type, ZYDIS_OPERAND_TYPE_MEMORY);
    EXPECT_EQ(found.operands[operand].size, bytes * 8);
    const auto& memory = found.operands[operand].mem;
    EXPECT_EQ(number_of(memory.base), wanted.base);
    EXPECT_EQ(number_of(memory.index), wanted.index);
    EXPECT_EQ(memory.index == ZYDIS_REGISTER_NONE ? 1 : memory.scale, wanted.scale);
    EXPECT_EQ(memory.disp.has_displacement ? memory.disp.value : 0, wanted.displacement);
}

TEST_F(EmitterTest, PrefetchesOfEveryAddress) {
    for (const Address& each : addresses()) {
        for (const bool is_used_once : {false, true}) {
            const Decoded found = decoded([&](Emitter& code) { code.prefetch(each, is_used_once); });
            EXPECT_EQ(found.instruction.mnemonic,
                      is_used_once ? ZYDIS_MNEMONIC_PREFETCHNTA : ZYDIS_MNEMONIC_PREFETCHT0);
            expect_address(found, 0, each, 1);
        }
    }
}

TEST_F(EmitterTest, LoadsFromEveryAddressIntoEveryRegister) {
    uint8_t result = 0;
    for (const Address& each : addresses()) {
        result = (result + 1) % 16;
        Decoded found = decoded([&](Emitter& code) { code.load_8_bytes(result, each); });
        EXPECT_EQ(found.instruction.mnemonic, ZYDIS_MNEMONIC_MOV);
        EXPECT_EQ(found.reg(0, ZYDIS_REGISTER_RAX), result);
        expect_address(found, 1, each, 8);
        found = decoded([&](Emitter& code) { code.load_4_bytes(result, each); });
        EXPECT_EQ(found.instruction.mnemonic, ZYDIS_MNEMONIC_MOVSXD);
        EXPECT_EQ(found.reg(0, ZYDIS_REGISTER_RAX), result);
        expect_address(found, 1, each, 4);
        found = decoded([&](Emitter& code) { code.load_address_half(result, each); });
        EXPECT_EQ(found.instruction.mnemonic, ZYDIS_MNEMONIC_LEA);
        EXPECT_EQ(found.reg(0, ZYDIS_REGISTER_EAX), result);
        expect_address(found, 1, each, 8);
    }
}

TEST_F(EmitterTest, ArithmeticOnEveryRegister) {
    for (uint8_t reg = 0; reg < 16; ++reg) {
        for (const int32_t value : {0, 1, -1, 127, 128, 4095, INT32_MAX, INT32_MIN}) {
            Decoded found = decoded([&](Emitter& code) { code.and_half(reg, value); });
            EXPECT_EQ(found.instruction.mnemonic, ZYDIS_MNEMONIC_AND);
            EXPECT_EQ(found.reg(0, ZYDIS_REGISTER_EAX), reg);
            EXPECT_EQ(static_cast<int32_t>(found.operands[1].imm.value.s), value);
            found = decoded([&](Emitter& code) { code.compare_half(reg, value); });
            EXPECT_EQ(found.instruction.mnemonic, ZYDIS_MNEMONIC_CMP);
            EXPECT_EQ(found.reg(0, ZYDIS_REGISTER_EAX), reg);
            EXPECT_EQ(static_cast<int32_t>(found.operands[1].imm.value.s), value);
        }
    }
}

TEST_F(EmitterTest, StackOperations) {
    for (uint8_t reg = 0; reg < 16; ++reg) {
        Decoded found = decoded([&](Emitter& code) { code.push(reg); });
        EXPECT_EQ(found.instruction.mnemonic, ZYDIS_MNEMONIC_PUSH);
        EXPECT_EQ(found.reg(0, ZYDIS_REGISTER_RAX), reg);
        found = decoded([&](Emitter& code) { code.pop(reg); });
        EXPECT_EQ(found.instruction.mnemonic, ZYDIS_MNEMONIC_POP);
        EXPECT_EQ(found.reg(0, ZYDIS_REGISTER_RAX), reg);
    }
    EXPECT_EQ(decoded([](Emitter& code) { code.push_flags(); }).instruction.mnemonic, ZYDIS_MNEMONIC_PUSHFQ);
    EXPECT_EQ(decoded([](Emitter& code) { code.pop_flags(); }).instruction.mnemonic, ZYDIS_MNEMONIC_POPFQ);
    for (const int32_t bytes : {128, -128}) {
        const Decoded found = decoded([&](Emitter& code) { code.move_stack_pointer(bytes); });
        EXPECT_EQ(found.instruction.mnemonic, ZYDIS_MNEMONIC_LEA) << "which leaves the flags";
        EXPECT_EQ(found.reg(0, ZYDIS_REGISTER_RAX), stack_pointer);
        expect_address(found, 1, {stack_pointer, no_register, 1, bytes}, 8);
    }
}

TEST_F(EmitterTest, JumpsLeadToTheirTargetsInAlwaysTheSameSize) {
    constexpr uintptr_t gigabytes = uintptr_t{1} << 31;
    for (const uintptr_t target : {address, address + 5, address + 100, address - 100,
                                   address + 5 - gigabytes, address + 4 + gigabytes}) {
        EXPECT_EQ(decoded([&](Emitter& code) { code.jump(target); }).instruction.length, 5);
        EXPECT_EQ(target_at(0), target);
    }
    for (uint8_t condition = 0; condition < 16; ++condition) {
        for (const uintptr_t target :
             {address, address + 6, address + 6 - gigabytes, address + 5 + gigabytes}) {
            decoded([&](Emitter& code) { code.jump_if(condition, target); });
            const Instruction found = decode(zydis_, room_, sizeof room_);
            EXPECT_EQ(found.condition, condition);
            EXPECT_EQ(found.length, 6);
            EXPECT_EQ(target_at(0), target);
        }
    }
}

TEST_F(EmitterTest, ForwardJumpsLeadToWhereTheyLand) {
    const std::vector<unsigned char> filling(127, 0x90);
    for (uint8_t condition = 0; condition < 16; ++condition) {
        for (const size_t between : {0, 1, 127}) {
            Emitter code(zydis_, room_, address);
            code.push_flags();
            const Emitter::ForwardJump jump = code.jump_forward_if(condition);
            code.copy({filling.data(), between});
            code.land(jump);
            ASSERT_TRUE(code.is_whole());
            EXPECT_EQ(decode(zydis_, room_ + 1, sizeof room_ - 1).condition, condition);
            EXPECT_EQ(target_at(1), code.here());
        }
    }
}

TEST_F(EmitterTest, WhatDoesNotReachIsNotWhole) {
    constexpr uintptr_t gigabytes = uintptr_t{1} << 31;
    for (const uintptr_t target : {address + 4 - gigabytes, address + 5 + gigabytes, uintptr_t{0}}) {
        Emitter code(zydis_, room_, address);
        code.jump(target);
        EXPECT_FALSE(code.is_whole());
        code.push_flags();
        EXPECT_EQ(code.size(), 0u) << "nor does anything follow";
    }
    const std::vector<unsigned char> filling(128, 0x90);
    Emitter code(zydis_, room_, address);
    const Emitter::ForwardJump jump = code.jump_forward_if(codegen::x86_64::if_above);
    code.copy(filling);
    EXPECT_TRUE(code.is_whole());
    code.land(jump);
    EXPECT_FALSE(code.is_whole());
}

TEST_F(EmitterTest, WhatHasNoEncodingIsNotWhole) {
    for (const Address& wrong : {Address{0, stack_pointer, 1, 0}, Address{0, 1, 3, 0},
                                 Address{0, no_register, 1, int64_t{1} << 31}}) {
        Emitter code(zydis_, room_, address);
        code.prefetch(wrong, false);
        EXPECT_FALSE(code.is_whole());
        EXPECT_EQ(code.size(), 0u);
    }
}

TEST_F(EmitterTest, NothingIsWrittenBehindTheRoom) {
    const Address far = {12, 9, 8, 0x12345678};
    const unsigned char copied[] = {1, 2, 3, 4, 5, 6, 7, 8, 9};
    const size_t length = decoded([&](Emitter& code) { code.prefetch(far, false); }).instruction.length;
    ASSERT_EQ(length, sizeof copied);
    for (size_t bytes = 0; bytes < 2 * length; ++bytes) {
        std::fill(std::begin(room_), std::end(room_), unwritten);
        Emitter code(zydis_, {room_, bytes}, address);
        code.prefetch(far, false);
        code.copy(copied);
        EXPECT_FALSE(code.is_whole());
        EXPECT_EQ(code.size(), bytes < length ? 0 : length);
        EXPECT_EQ(std::count(room_ + bytes, std::end(room_), unwritten),
                  static_cast<ptrdiff_t>(sizeof room_ - bytes));
    }
    Emitter code(zydis_, {room_, 2 * length}, address);
    code.prefetch(far, false);
    code.copy(copied);
    EXPECT_TRUE(code.is_whole());
    EXPECT_EQ(memcmp(room_ + length, copied, length), 0);
}

/// The function that the next test emits: of an array's element its pointee where its low 12 bits are at most
/// 4000, and the element's own low half, with its sign, where they are not.
int64_t plain(const int64_t* array, size_t, size_t, size_t index) {
    if ((array[index] & 4095) <= 4000) {
        return array[index + 1];
    }
    return static_cast<int32_t>(array[index]);
}

TEST_F(EmitterTest, EmittedCodeComputesWhatItSays) {
    constexpr uint8_t rax = 0;
    constexpr uint8_t rcx = 1;
    constexpr uint8_t rdi = 7;
    codegen::CodePages pages;
    unsigned char* place = pages.place({0x7ea000000000, 0x7ea000001000, {}}, 64);
    Emitter code(zydis_, {place, 64}, reinterpret_cast<uintptr_t>(place));
    code.load_4_bytes(rax, {rdi, rcx, 8, 0});
    code.push(rax);
    code.load_address_half(rax, {rax, no_register, 1, 0});
    code.and_half(rax, 4095);
    code.compare_half(rax, 4000);
    code.pop(rax);
    const Emitter::ForwardJump jump = code.jump_forward_if(codegen::x86_64::if_above);
    code.load_8_bytes(rax, {rdi, rcx, 8, 8});
    code.land(jump);
    const unsigned char give_back[] = {0xc3};
    code.copy(give_back);
    ASSERT_TRUE(code.is_whole());
    ASSERT_TRUE(pages.seal());
    const int64_t array[] = {4000, -1, 4001, int64_t{1} << 40 | 0xffffffff, 4096 + 4000, -4096, 7, 0};
    const auto emitted = std::bit_cast<decltype(&plain)>(place);
    for (size_t index = 0; index + 1 < std::size(array); ++index) {
        EXPECT_EQ(emitted(array, 0, 0, index), plain(array, 0, 0, index)) << index;
    }
    pages.release();
}

}  // namespace
}  // namespace malloom
