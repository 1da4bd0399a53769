// What an instruction does to memory, by the bytes of its code.
#pragma once

#include <dr_api.h>
#include <stdint.h>
#include <sys/user.h>

#include <array>
#include <unordered_map>
#include <vector>

#include "record/accesses/recorded_operands.h"

namespace malloom::stepping {

/// The longest instruction has so many bytes.
inline constexpr size_t most_code_bytes = 15;
using Code = std::array<unsigned char, most_code_bytes>;

/// One that is decoded.
struct Instruction {
    /// Whether a step over it is invisible: not where it asks the system for something, or looks at or
    /// changes the flag by which steps are made.
    bool may_be_stepped = false;
    bool repeats = false;  ///< as often as a register says, which may be never; a step is one time
    unsigned count = 0;
    std::array<accesses::RecordedOperand, accesses::OperandsOf::most> operands = {};
};

/// Remembers what it has decoded. One per process: DynamoRIO's decoder is started with it.
class Instructions {
  public:
    Instructions();
    Instructions(const Instructions&) = delete;
    Instructions& operator=(const Instructions&) = delete;
    ~Instructions();

    /// Of the first bytes of the code; those behind the instruction do not matter. Valid until the next call.
    const Instruction& decode(const Code& code);

    /// Appends the entries (see AccessKind in formats/profile.def) of an execution with these registers.
    static void append_accesses(const Instruction& instruction, const user_regs_struct& registers,
                                std::vector<uint64_t>& entries);

  private:
    struct Hash {
        size_t operator()(const Code& code) const noexcept;
    };
    Instruction decoded(const Code& code) const;

    void* context_;
    std::unordered_map<Code, Instruction, Hash> known_;
};

}  // namespace malloom::stepping
