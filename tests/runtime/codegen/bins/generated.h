// Generated code, for tests: with all that it needs.
#pragma once

#include <sys/mman.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "runtime/codegen/bins/bin_code.h"
#include "tests/runtime/codegen/bins/layouts.h"

namespace malloom::tests {

using Code = std::vector<unsigned char>;

struct NamedInstructionSet {
    const char* name;
    const codegen::bins::InstructionSet* set;
    const char* triple;  ///< as LLVM names it
};

inline constexpr NamedInstructionSet named_instruction_sets[] = {
    {"RV32", &codegen::bins::instruction_sets::riscv, "riscv32"},
    {"RV64", &codegen::bins::instruction_sets::riscv, "riscv64"},
    {"Thumb-2", &codegen::bins::instruction_sets::thumb2, "thumbv7m"},
    {"x86-64", &codegen::bins::instruction_sets::x86_64, "x86_64"},
    {"AArch64", &codegen::bins::instruction_sets::aarch64, "aarch64"}};

/// The code of a layout, as bytes.
inline Code code_of(const Layout& layout, const codegen::bins::InstructionSet& instructions,
                    bool has_landing_pad = false) {
    Code room(64U << 10);
    std::vector<uint32_t> scratch(layout.begins.size());
    const codegen::bins::GeneratedCode code = codegen::bins::generate(
        layout.ranges(), instructions, scratch.data(), room.data(), room.size(), has_landing_pad);
    return code.begin == nullptr ? Code() : Code(code.begin, code.begin + code.bytes);
}

/// Memory that code can be written to and run in.
class CodeRoom {
  public:
    CodeRoom()
        : memory_(
              mmap(nullptr, bytes, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)) {}
    ~CodeRoom() { munmap(memory_, bytes); }
    CodeRoom(const CodeRoom&) = delete;
    CodeRoom& operator=(const CodeRoom&) = delete;

    /// The function of the layout, until the next one; null where this machine has none.
    codegen::bins::BinFunction function_of(const Layout& layout, bool has_landing_pad = false) {
        const codegen::bins::InstructionSet* const own = codegen::bins::own_instruction_set();
        if (own == nullptr || memory_ == MAP_FAILED) {
            return nullptr;
        }
        const Code code = code_of(layout, *own, has_landing_pad);
        auto* const begin = static_cast<unsigned char*>(memory_);
        std::copy(code.begin(), code.end(), begin);
        __builtin___clear_cache(reinterpret_cast<char*>(begin), reinterpret_cast<char*>(begin) + bytes);
        return codegen::bins::function_at(begin);
    }

  private:
    static constexpr size_t bytes = 64U << 10;
    void* memory_;
};

}  // namespace malloom::tests
