#include "record/stepping/burst.h"

#include <errno.h>
#include <unistd.h>

#include "formats/profile.h"
#include "record/stepping/traced_thread.h"

namespace malloom::stepping {

namespace {

using formats::profile::AccessKind;

uint64_t gap(uint64_t ticket) {
    using namespace formats::profile;
    return (ticket & access_ticket_mask) | uint64_t{static_cast<uint8_t>(AccessKind::gap)}
                                               << access_kind_shift;
}

// The code at an address; where its page is the last one that can be read, as much as there is.
bool read_code(pid_t process, uintptr_t address, Code& code) {
    code = {};
    if (read_memory(process, address, code.data(), code.size()) == code.size()) {
        return true;
    }
    const auto page = static_cast<uintptr_t>(getpagesize());
    const size_t left = page - address % page;
    return left < code.size() && read_memory(process, address, code.data(), left) == left;
}

// In a call of the system, which the kernel may begin anew when the thread goes on.
bool is_in_system(const user_regs_struct& registers) {
    return static_cast<long long>(registers.orig_rax) >= 0;
}

// The kernel leaves out the flag that it sets for a step.
bool steps_itself(const user_regs_struct& registers) {
    constexpr unsigned long long trap_flag = 0x100;
    return (registers.eflags & trap_flag) != 0;
}

// Of the recorder's; 0 where it cannot be read.
uint64_t word_at(const RecordedProcess& process, uintptr_t offset) {
    uint64_t word = 0;
    read_memory(process.pid, process.recorder.start + offset, &word, sizeof word);
    return word;
}

}  // namespace

Taken take_burst(const RecordedProcess& process, pid_t thread, const RecorderWords& words,
                 Instructions& instructions, std::vector<uint64_t>& entries) {
    TracedThread traced(thread);
    if (!traced.attach()) {
        return errno == EPERM ? Taken::refused : Taken::nothing;
    }
    user_regs_struct registers{};
    // Another program may have taken the process's place, or another window this one's.
    if (!traced.registers(registers) || is_in_system(registers) ||
        word_at(process, words.identity) != process.identity || !traced.may_be_stepped()) {
        return Taken::nothing;
    }
    const uint64_t ticket = word_at(process, words.tickets);
    entries.assign(1, gap(ticket));
    for (unsigned i = 0; i < most_steps && !process.recorder.contains(registers.rip); ++i) {
        Code code;
        if (!read_code(process.pid, registers.rip, code)) {
            break;
        }
        const Instruction& instruction = instructions.decode(code);
        const user_regs_struct before = registers;
        if (!instruction.may_be_stepped || steps_itself(registers) || traced.step() != Stop::stepped) {
            break;
        }
        Instructions::append_accesses(instruction, before, entries);
        if (!traced.registers(registers)) {
            break;
        }
    }
    return entries.size() > 1 ? Taken::some : Taken::nothing;
}

}  // namespace malloom::stepping
