#include "src/native/debug/line_rows.h"

#include <algorithm>
#include <array>

namespace malloom::native {

namespace {

/// One unit's line-number program. File names are not needed here, so the tables of them are passed over.
class LineProgram {
  public:
    LineProgram(SectionReader reader, std::span<const uint64_t> addresses, std::vector<LineAndColumn>& found)
        : reader_(reader), addresses_(addresses), found_(found) {}

    void run(bool is_wide, uint64_t end) {
        if (!read_header(is_wide)) return;
        while (reader_.good() && reader_.at() < end) step();
    }

  private:
    struct Row {
        uint64_t address = 0;
        uint64_t line = 1;
        uint64_t column = 0;
    };

    bool read_header(bool is_wide) {
        const uint64_t version = reader_.number(2);
        if (version < 2 || version > 5) return false;
        if (version == 5) reader_.skip(2);  // sizes of addresses and of segment selectors
        const uint64_t length = reader_.number(is_wide ? 8 : 4);
        const uint64_t program = reader_.at() + length;
        instruction_bytes_ = reader_.number(1);
        if (version >= 4) reader_.skip(1);  // operations of a very long instruction word
        reader_.skip(1);                    // whether rows begin statements
        const auto base = static_cast<int64_t>(reader_.number(1));
        line_base_ = base < 128 ? base : base - 256;
        line_range_ = reader_.number(1);
        first_special_ = reader_.number(1);
        for (uint64_t opcode = 1; opcode < first_special_; ++opcode) operands_[opcode] = reader_.number(1);
        reader_.go_to(program);
        return reader_.good() && line_range_ != 0;
    }

    void step() {
        const uint64_t opcode = reader_.number(1);
        if (opcode >= first_special_) {
            const uint64_t special = opcode - first_special_;
            row_.address += special / line_range_ * instruction_bytes_;
            row_.line += static_cast<uint64_t>(line_base_) + special % line_range_;
            add_row();
        } else if (opcode == 0) {
            extended();
        } else {
            standard(opcode);
        }
    }

    void standard(uint64_t opcode) {
        switch (opcode) {
            case 1:  // copy
                add_row();
                break;
            case 2:  // advance the address
                row_.address += reader_.uleb() * instruction_bytes_;
                break;
            case 3:  // advance the line
                row_.line += static_cast<uint64_t>(reader_.sleb());
                break;
            case 5:
                row_.column = reader_.uleb();
                break;
            case 8:  // advance the address as the highest special opcode does
                row_.address += (255 - first_special_) / line_range_ * instruction_bytes_;
                break;
            case 9:  // advance the address by a fixed number
                row_.address += reader_.number(2);
                break;
            default:
                for (uint64_t operand = 0; operand < operands_[opcode]; ++operand) reader_.uleb();
        }
    }

    void extended() {
        const uint64_t length = reader_.uleb();
        const uint64_t end = reader_.at() + length;
        const uint64_t opcode = length != 0 ? reader_.number(1) : 0;
        if (opcode == 1) {  // end of the sequence
            cover(row_.address);
            row_ = Row();
            is_open_ = false;
        } else if (opcode == 2) {  // set the address
            row_.address = reader_.number(std::min<uint64_t>(length - 1, 8));
        }
        reader_.go_to(end);
    }

    void add_row() {
        cover(row_.address);
        latest_ = row_;
        // The linker gives code that it has left out the address 0 or -1.
        is_open_ = row_.address != 0 && row_.address + 1 != 0;
    }

    /// The addresses from the latest row up to `end` are the row's.
    void cover(uint64_t end) {
        if (!is_open_ || end <= latest_.address) return;
        auto at = std::lower_bound(addresses_.begin(), addresses_.end(), latest_.address);
        for (; at != addresses_.end() && *at < end; ++at) {
            found_[static_cast<size_t>(at - addresses_.begin())] = {static_cast<uint32_t>(latest_.line),
                                                                    static_cast<uint32_t>(latest_.column)};
        }
    }

    SectionReader reader_;
    std::span<const uint64_t> addresses_;
    std::vector<LineAndColumn>& found_;
    std::array<uint64_t, 256> operands_{};
    uint64_t instruction_bytes_ = 1;
    int64_t line_base_ = 0;
    uint64_t line_range_ = 1;
    uint64_t first_special_ = 0;
    Row row_;
    Row latest_;
    bool is_open_ = false;
};

}  // namespace

std::vector<LineAndColumn> find_lines(Bytes debug_line, std::span<const uint64_t> addresses) {
    std::vector<LineAndColumn> found(addresses.size());
    SectionReader reader(debug_line);
    while (!reader.ended()) {
        bool is_wide = false;
        const uint64_t length = reader.unit_length(is_wide);
        const uint64_t end = reader.at() + length;
        LineProgram(reader, addresses, found).run(is_wide, end);
        reader.go_to(end);
    }
    return found;
}

}  // namespace malloom::native
