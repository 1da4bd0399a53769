#include "runtime/context/call_frame_program.h"

#include "runtime/context/frame_rule.h"

namespace malloom::context {
namespace {

enum Register : uint8_t { rbp = 6, rsp = 7, return_column = 16 };

// Instructions that carry an operand in their low 6 bits, and the others (DWARF 5, section 7.24; GNU ones
// from the Linux Standard Base).
enum Instruction : uint8_t {
    advance_loc = 0x40,
    offset = 0x80,
    restore = 0xc0,
    nop = 0x00,
    set_loc = 0x01,
    advance_loc1 = 0x02,
    advance_loc2 = 0x03,
    advance_loc4 = 0x04,
    offset_extended = 0x05,
    restore_extended = 0x06,
    undefined = 0x07,
    same_value = 0x08,
    register_move = 0x09,
    remember_state = 0x0a,
    restore_state = 0x0b,
    def_cfa = 0x0c,
    def_cfa_register = 0x0d,
    def_cfa_offset = 0x0e,
    offset_extended_sf = 0x11,
    def_cfa_sf = 0x12,
    def_cfa_offset_sf = 0x13,
    gnu_args_size = 0x2e,
};

struct Saved {
    enum Kind : uint8_t { unchanged, at_offset, unknown } kind = unchanged;
    int64_t offset = 0;  // bytes from the CFA
};

struct Row {
    uint64_t cfa_register = ~uint64_t{0};
    int64_t cfa_offset = 0;
    Saved frame_pointer;
    Saved return_address;
};

class Machine {
  public:
    Machine(const CallFrameProgram& program, uint64_t address) : program_(program), address_(address) {}

    bool run() {
        location_ = program_.start;
        if (!execute(program_.initial)) {
            return false;
        }
        initial_ = row_;
        return execute(program_.body);
    }

    const Row& row() const { return row_; }

  private:
    // Compilers nest remember_state one deep; assembly files a little more.
    static constexpr unsigned max_remembered = 8;

    bool execute(ByteReader code) {
        while (true) {
            skim(code);
            if (code.at_end() || location_ > address_) {
                return code.good();
            }
            if (!step(code)) {
                return false;
            }
        }
    }

    // Large functions have hundreds of instructions before the one that matters, nearly all of them these
    // four, with operands of one byte. Ends before anything else.
    void skim(ByteReader& code) {
        const unsigned char* at = code.here();
        const unsigned char* const end = code.end();
        uint64_t location = location_;
        while (end - at >= 2 && location <= address_) {
            const unsigned char operand = at[1];
            if ((at[0] & 0xc0) == advance_loc) {
                location += (at[0] & 0x3fU) * program_.code_alignment;
                at += 1;
            } else if (at[0] == advance_loc1) {
                location += operand * program_.code_alignment;
                at += 2;
            } else if (at[0] == def_cfa_offset && operand < 0x80) {
                row_.cfa_offset = operand;
                at += 2;
            } else if ((at[0] & 0xc0) == offset && operand < 0x80) {
                save(at[0] & 0x3fU, factored(operand));
                at += 2;
            } else {
                break;
            }
        }
        location_ = location;
        code.go_to(at);
    }

    bool step(ByteReader& code) {
        const auto byte = code.read<uint8_t>();
        const uint8_t operand = byte & 0x3f;
        switch (byte & 0xc0) {
            case advance_loc:
                return advance(operand);
            case offset:
                return save(operand, factored(code.read_uleb128()));
            case restore:
                return restore_initial(operand);
            default:
                return step_extended(byte, code);
        }
    }

    bool step_extended(uint8_t instruction, ByteReader& code) {
        switch (instruction) {
            case nop:
                return true;
            case advance_loc1:
                return advance(code.read<uint8_t>());
            case advance_loc2:
                return advance(code.read<uint16_t>());
            case advance_loc4:
                return advance(code.read<uint32_t>());
            case remember_state:
                return remember();
            case restore_state:
                return recall();
            case gnu_args_size:
                code.read_uleb128();
                return true;
            default:
                return step_register(instruction, code) || step_cfa(instruction, code);
        }
    }

    bool step_register(uint8_t instruction, ByteReader& code) {
        if (instruction < offset_extended || instruction > offset_extended_sf) {
            return false;
        }
        if (instruction > register_move && instruction != offset_extended_sf) {
            return false;
        }
        const uint64_t reg = code.read_uleb128();
        switch (instruction) {
            case offset_extended:
                return save(reg, factored(code.read_uleb128()));
            case offset_extended_sf:
                return save(reg, factored(static_cast<uint64_t>(code.read_sleb128())));
            case restore_extended:
                return restore_initial(reg);
            case same_value:
                return set(reg, {Saved::unchanged, 0});
            case register_move:
                code.read_uleb128();
                return set(reg, {Saved::unknown, 0});
            default:
                return set(reg, {Saved::unknown, 0});
        }
    }

    bool step_cfa(uint8_t instruction, ByteReader& code) {
        switch (instruction) {
            case def_cfa:
                row_.cfa_register = code.read_uleb128();
                row_.cfa_offset = static_cast<int64_t>(code.read_uleb128());
                return true;
            case def_cfa_register:
                row_.cfa_register = code.read_uleb128();
                return true;
            case def_cfa_offset:
                row_.cfa_offset = static_cast<int64_t>(code.read_uleb128());
                return true;
            case def_cfa_sf:
                row_.cfa_register = code.read_uleb128();
                row_.cfa_offset = factored(static_cast<uint64_t>(code.read_sleb128()));
                return true;
            case def_cfa_offset_sf:
                row_.cfa_offset = factored(static_cast<uint64_t>(code.read_sleb128()));
                return true;
            default:
                return false;
        }
    }

    // Wraps instead of overflowing: the bytes may be anything.
    int64_t factored(uint64_t value) const {
        return static_cast<int64_t>(value * static_cast<uint64_t>(program_.data_alignment));
    }

    bool advance(uint64_t delta) {
        location_ += delta * program_.code_alignment;
        return true;
    }

    bool save(uint64_t reg, int64_t bytes) { return set(reg, {Saved::at_offset, bytes}); }

    bool set(uint64_t reg, Saved saved) {
        if (reg == rbp) {
            row_.frame_pointer = saved;
        }
        if (reg == return_column) {
            row_.return_address = saved;
        }
        return true;
    }

    bool restore_initial(uint64_t reg) {
        if (reg == rbp) {
            row_.frame_pointer = initial_.frame_pointer;
        }
        if (reg == return_column) {
            row_.return_address = initial_.return_address;
        }
        return true;
    }

    bool remember() {
        if (remembered_count_ == max_remembered) {
            return false;
        }
        remembered_[remembered_count_++] = row_;
        return true;
    }

    bool recall() {
        if (remembered_count_ == 0) {
            return false;
        }
        row_ = remembered_[--remembered_count_];
        return true;
    }

    const CallFrameProgram& program_;
    const uint64_t address_;
    uint64_t location_ = 0;
    Row row_;
    Row initial_;
    Row remembered_[max_remembered];
    unsigned remembered_count_ = 0;
};

// Words in `bytes`, or `none` where it is not a whole, positive number of words up to `most`.
uint64_t words_in(int64_t bytes, uint64_t most) {
    if (bytes <= 0 || bytes % 8 != 0) {
        return 0;
    }
    const uint64_t words = static_cast<uint64_t>(bytes) / 8;
    return words <= most ? words : 0;
}

uint64_t pack(const Row& row) {
    if (row.cfa_register != rbp && row.cfa_register != rsp) {
        return FrameRule::end();
    }
    if (row.return_address.kind != Saved::at_offset || row.return_address.offset != -8) {
        return FrameRule::end();
    }
    const uint64_t offset_words = words_in(row.cfa_offset, FrameRule::max_offset_words);
    uint64_t saved_words = 0;
    if (row.frame_pointer.kind == Saved::unknown) {
        return FrameRule::end();
    }
    if (row.frame_pointer.kind == Saved::at_offset) {
        if (row.frame_pointer.offset < -static_cast<int64_t>(FrameRule::max_saved_words) * 8) {
            return FrameRule::end();
        }
        saved_words = words_in(-row.frame_pointer.offset - 8, FrameRule::max_saved_words);
        if (saved_words == 0) {
            return FrameRule::end();
        }
    }
    // The walk counts on a saved rbp above the base: what lies below the stack pointer is no frame of a
    // caller.
    if (offset_words == 0 || saved_words >= offset_words) {
        return FrameRule::end();
    }
    return FrameRule::make(row.cfa_register == rbp, offset_words, saved_words);
}

}  // namespace

uint64_t run_call_frame_program(const CallFrameProgram& program, uint64_t address) {
    Machine machine(program, address);
    if (!machine.run()) {
        return FrameRule::end();
    }
    return pack(machine.row());
}

}  // namespace malloom::context
