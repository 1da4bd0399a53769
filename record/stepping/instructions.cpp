#include "record/stepping/instructions.h"

#include <string.h>

#include "record/stream/access_shape.h"

namespace malloom::stepping {

namespace {

// A program has some ten thousand; one that makes its code anew all the time may have any number.
constexpr size_t most_remembered = size_t{1} << 18;

dr_mcontext_t registers_of(const user_regs_struct& from) {
    dr_mcontext_t registers;
    memset(&registers, 0, sizeof registers);
    registers.size = sizeof registers;
    registers.flags = static_cast<dr_mcontext_flags_t>(DR_MC_INTEGER | DR_MC_CONTROL);
    registers.xax = from.rax;
    registers.xbx = from.rbx;
    registers.xcx = from.rcx;
    registers.xdx = from.rdx;
    registers.xsi = from.rsi;
    registers.xdi = from.rdi;
    registers.xbp = from.rbp;
    registers.xsp = from.rsp;
    registers.r8 = from.r8;
    registers.r9 = from.r9;
    registers.r10 = from.r10;
    registers.r11 = from.r11;
    registers.r12 = from.r12;
    registers.r13 = from.r13;
    registers.r14 = from.r14;
    registers.r15 = from.r15;
    registers.xip = reinterpret_cast<byte*>(from.rip);
    return registers;
}

bool shows_steps(instr_t* instruction) {
    switch (instr_get_opcode(instruction)) {
        case OP_pushf:
        case OP_popf:
        case OP_iret:
        case OP_int:
        case OP_int3:
        case OP_int1:
        case OP_into:
            return true;
        default:
            return instr_is_syscall(instruction);
    }
}

}  // namespace

Instructions::Instructions() : context_(dr_standalone_init()) {}

Instructions::~Instructions() {
    dr_standalone_exit();
}

size_t Instructions::Hash::operator()(const Code& code) const noexcept {
    uint64_t words[2] = {};
    memcpy(words, code.data(), code.size());
    return (words[0] * 0x9e3779b97f4a7c15u ^ words[1]) * 0xff51afd7ed558ccdu >> 17;
}

const Instruction& Instructions::decode(const Code& code) {
    const auto found = known_.find(code);
    if (found != known_.end()) {
        return found->second;
    }
    if (known_.size() >= most_remembered) {
        known_.clear();
    }
    return known_.emplace(code, decoded(code)).first->second;
}

Instruction Instructions::decoded(const Code& code) const {
    Instruction result;
    Code bytes = code;
    instr_t instruction;
    instr_init(context_, &instruction);
    if (::decode(context_, bytes.data(), &instruction) != nullptr && instr_valid(&instruction)) {
        const accesses::OperandsOf operands(&instruction);
        result.may_be_stepped = !shows_steps(&instruction);
        result.repeats = instr_is_rep_string_op(&instruction);
        result.count = operands.count;
        for (unsigned i = 0; i < operands.count; ++i) {
            result.operands[i] = operands.operands[i];
        }
    }
    instr_free(context_, &instruction);
    return result;
}

void Instructions::append_accesses(const Instruction& instruction, const user_regs_struct& registers,
                                   std::vector<uint64_t>& entries) {
    if (instruction.count == 0 || (instruction.repeats && registers.rcx == 0)) {
        return;
    }
    dr_mcontext_t values = registers_of(registers);
    for (unsigned i = 0; i < instruction.count; ++i) {
        const accesses::RecordedOperand& operand = instruction.operands[i];
        const auto address = reinterpret_cast<uintptr_t>(opnd_compute_address(operand.operand, &values));
        for (const bool stored : {false, true}) {
            if (stored ? operand.store : operand.load) {
                const stream::ShapedAccess access{0, 0, static_cast<uint8_t>(operand.tag(stored))};
                entries.push_back(stream::entry_of(access, address));
            }
        }
    }
}

}  // namespace malloom::stepping
