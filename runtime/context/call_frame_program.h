// Runs the call frame instructions of DWARF (version 5, section 6.4.2) up to one instruction of a function.
#pragma once

#include <stdint.h>

#include "runtime/context/byte_reader.h"

namespace malloom::context {

/// What a common information entry (CIE) and a frame description entry (FDE) of .eh_frame say about a
/// function.
struct CallFrameProgram {
    uint64_t code_alignment = 1;
    int64_t data_alignment = 1;
    uint64_t start = 0;  ///< first address of the function
    uint8_t pointer_encoding = 0;
    ByteReader initial{{}, 0};  ///< the CIE's instructions
    ByteReader body{{}, 0};     ///< the FDE's instructions
};

/// The x86-64 frame rule (a FrameRule without tag) at the instruction that holds `address`, or
/// FrameRule::end() where the function ends the stack, or where anything is not understood: expressions,
/// other registers, odd offsets.
uint64_t run_call_frame_program(const CallFrameProgram& program, uint64_t address);

}  // namespace malloom::context
