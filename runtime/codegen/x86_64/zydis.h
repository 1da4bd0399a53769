// The library Zydis, which decodes and encodes instructions. It is loaded only while code is patched:
// programs whose plan has no prefetches pay nothing for it, and the others keep nothing of it.
#pragma once

#include <Zydis/Zydis.h>
#include <stddef.h>
#include <stdint.h>

#include <span>

namespace malloom::codegen::x86_64 {

/// For one thread. Loading calls dlopen, so never from within a request.
class Zydis {
  public:
    Zydis() = default;
    Zydis(const Zydis&) = delete;
    Zydis& operator=(const Zydis&) = delete;
    ~Zydis() { close(); }

    /// False where the library is missing.
    bool open();
    void close();

    using Operands = ZydisDecodedOperand[ZYDIS_MAX_OPERAND_COUNT];

    /// False where there is no instruction at `code`, of which `bytes` can be read.
    bool decode(const unsigned char* code, size_t bytes, ZydisDecodedInstruction& found,
                Operands& operands) const;
    /// The instruction's length in bytes alone; 0 where there is none.
    unsigned length(const unsigned char* code, size_t bytes) const;

    /// Bytes of an instruction that will run at `address`; targets of jumps are addresses. 0 where it has no
    /// encoding, does not reach or does not fit.
    size_t encode(ZydisEncoderRequest request, std::span<unsigned char> room, uintptr_t address) const;

  private:
    bool find_functions();

    void* handle_ = nullptr;
    ZydisDecoder decoder_;
    decltype(&ZydisDecoderInit) init_;
    decltype(&ZydisDecoderDecodeInstruction) decode_instruction_;
    decltype(&ZydisDecoderDecodeFull) decode_full_;
    decltype(&ZydisEncoderEncodeInstructionAbsolute) encode_;
};

}  // namespace malloom::codegen::x86_64
