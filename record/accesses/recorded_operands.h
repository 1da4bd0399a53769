// Which memory operands of an instruction are recorded.
#pragma once

#include <dr_api.h>
#include <stdint.h>

namespace malloom::accesses {

/// One memory operand that may reach a heap object: loaded, stored, or loaded and then stored. Of one whose
/// size is no power of two a piece that is.
struct RecordedOperand {
    opnd_t operand;
    bool load, store;
    bool needs_scratch;     ///< its address takes a second register to compute
    uint8_t size_exponent;  ///< log2 of its size in bytes

    /// Bits 48-52 of its entry (see AccessKind in formats/profile.def).
    unsigned tag(bool stored) const { return size_exponent | (stored ? 1u << 4 : 0); }
};

/// The recorded operands of an instruction, loads before stores. Left out are operands that cannot reach the
/// heap: relative to the stack pointer, to the instruction or to a segment, absolute ones, and what is no
/// access (lea, nop, prefetch).
struct OperandsOf {
    static constexpr unsigned most = 8;

    explicit OperandsOf(instr_t* instr);

    RecordedOperand operands[most];
    unsigned count = 0;

  private:
    void add(instr_t* instr, opnd_t operand, bool store);
    void add_piece(const RecordedOperand& piece);
};

}  // namespace malloom::accesses
