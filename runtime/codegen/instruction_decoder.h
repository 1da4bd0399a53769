// Decodes instructions by the library Zydis, which is loaded only while code is patched: programs whose plan
// has no prefetches pay nothing for it, and the others keep nothing of it.
#pragma once

#include <stddef.h>

#include "runtime/codegen/instruction.h"

namespace malloom::codegen {

/// For one thread. Loading calls dlopen, so never from within a request.
class InstructionDecoder {
  public:
    InstructionDecoder() = default;
    InstructionDecoder(const InstructionDecoder&) = delete;
    InstructionDecoder& operator=(const InstructionDecoder&) = delete;
    ~InstructionDecoder() { close(); }

    /// False where the library is missing.
    bool open();
    void close();

    /// Length in bytes of the instruction at `code`, of which `bytes` can be read; 0 where there is none.
    unsigned length(const unsigned char* code, size_t bytes) const;

    /// All about it; `length` is 0 where there is none.
    Instruction decode(const unsigned char* code, size_t bytes) const;

  private:
    struct Library;

    void* handle_ = nullptr;
    alignas(8) unsigned char library_[64] = {};  // a Library: the header does not drag Zydis's along
};

}  // namespace malloom::codegen
