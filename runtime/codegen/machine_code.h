// The few instructions of x86-64 that prefetching needs, as bytes.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "runtime/codegen/instruction.h"

namespace malloom::codegen {

/// Code under construction, in a buffer of its own; position-independent. Registers are 0 to 15.
class MachineCode {
  public:
    const unsigned char* bytes() const { return bytes_; }
    size_t size() const { return size_; }

    /// prefetcht0, or prefetchnta for lines that are used once.
    void prefetch(const Address& address, bool is_used_once);
    /// The address itself, its low half alone; the register's high half becomes 0.
    void load_address_half(uint8_t result, const Address& address);
    void load_8_bytes(uint8_t result, const Address& address);
    /// 4 bytes and their sign.
    void load_4_bytes(uint8_t result, const Address& address);

    void and_half(uint8_t result, int32_t value);
    void compare_half(uint8_t left, int32_t right);
    /// Jumps forward to where `land` is called with what this returns, below 128 bytes on.
    size_t jump_if_above();
    size_t jump_if_below();
    void land(size_t jump);

    /// Moves the stack pointer and leaves the flags.
    void move_stack_pointer(int32_t bytes);
    void push(uint8_t source);
    void pop(uint8_t result);
    void push_flags() { byte(0x9c); }
    void pop_flags() { byte(0x9d); }

    void copy(const unsigned char* code, size_t count);
    /// `at` is where this code will begin. Conditions are numbered as opcodes have them.
    void jump(uintptr_t at, uintptr_t target);
    void jump_on(uint8_t condition, uintptr_t at, uintptr_t target);

    /// Whether there was room for all, and jumps reach their targets.
    bool is_whole() const { return size_ < capacity && reaches_; }

  private:
    static constexpr size_t capacity = 160;

    void byte(unsigned value);
    void half(int32_t value);
    void distance(uintptr_t at, uintptr_t target);
    void memory(bool is_wide, unsigned escape, unsigned opcode, uint8_t reg, const Address& address);
    void immediate(unsigned operation, uint8_t reg, int32_t value);
    size_t short_jump(unsigned opcode);

    unsigned char bytes_[capacity];
    size_t size_ = 0;
    bool reaches_ = true;
};

}  // namespace malloom::codegen
