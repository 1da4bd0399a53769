// Writes instructions into memory: all machine code of x86-64 that the run time makes goes through here.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include <span>

#include "runtime/codegen/x86_64/instruction.h"
#include "runtime/codegen/x86_64/zydis.h"

namespace malloom::codegen::x86_64 {

constexpr uint8_t if_below = 2;
constexpr uint8_t if_above = 7;

/// Code under construction. What has no encoding, does not reach its target or finds no room is left out, and
/// so is all that follows it; is_whole then says so.
class Emitter {
  public:
    /// The code will run at `address`, which need not be where the room is.
    Emitter(const Zydis& zydis, std::span<unsigned char> room, uintptr_t address)
        : zydis_(zydis), room_(room), address_(address) {}

    size_t size() const { return size_; }
    /// Where the next instruction will run.
    uintptr_t here() const { return address_ + size_; }
    bool is_whole() const { return is_whole_; }

    /// prefetcht0, or prefetchnta for lines that are used once.
    void prefetch(const Address& address, bool is_used_once);
    /// The address itself, its low half alone; the register's high half becomes 0.
    void load_address_half(uint8_t result, const Address& address);
    void load_8_bytes(uint8_t result, const Address& address);
    /// 4 bytes and their sign.
    void load_4_bytes(uint8_t result, const Address& address);

    void and_half(uint8_t result, int32_t value);
    void compare_half(uint8_t left, int32_t right);

    /// Moves the stack pointer and leaves the flags.
    void move_stack_pointer(int32_t bytes);
    void push(uint8_t source);
    void pop(uint8_t result);
    void push_flags();
    void pop_flags();

    /// Jumps of always the same size, whatever the distance.
    void jump(uintptr_t target);
    void jump_if(uint8_t condition, uintptr_t target);

    struct ForwardJump {
        size_t start;  ///< in the code
        uint8_t condition;
    };
    /// Jumps to where `land` is called with what this returns, below 128 bytes on.
    ForwardJump jump_forward_if(uint8_t condition);
    void land(const ForwardJump& jump);

    /// Bytes as they are: instructions of the program, or what Zydis does not encode.
    void copy(std::span<const unsigned char> code);

  private:
    size_t encode_at(size_t offset, const ZydisEncoderRequest& request);
    void emit(const ZydisEncoderRequest& request);

    const Zydis& zydis_;
    std::span<unsigned char> room_;
    uintptr_t address_;
    size_t size_ = 0;
    bool is_whole_ = true;
};

}  // namespace malloom::codegen::x86_64
