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

}  // namespace

Taken take_burst(const RecordedProcess& process, pid_t thread, uintptr_t tickets, Instructions& instructions,
                 std::vector<uint64_t>& entries) {
    TracedThread traced(thread);
    if (!traced.attach()) {
        return errno == EPERM ? Taken::refused : Taken::nothing;
    }
    user_regs_struct registers{};
    uint64_t ticket = 0;
    if (!traced.registers(registers) || is_in_system(registers) ||
        read_memory(process.pid, tickets, &ticket, sizeof ticket) != sizeof ticket) {
        return Taken::nothing;
    }
    entries.assign(1, gap(ticket));
    for (unsigned i = 0; i < most_steps && !process.recorder.contains(registers.rip); ++i) {
        Code code;
        if (!read_code(process.pid, registers.rip, code)) {
            break;
        }
        const Instruction& instruction = instructions.decode(code);
        const user_regs_struct before = registers;
        if (!instruction.may_be_stepped || traced.step() != Stop::stepped) {
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
