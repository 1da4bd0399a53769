#include "runtime/context/unwind_section.h"

#include "runtime/context/call_frame_program.h"
#include "runtime/context/frame_rule.h"

namespace malloom::context {
namespace {

// Pointer encodings (Linux Standard Base, "DWARF Exception Header Encoding"): a format and what it is
// relative to.
enum Encoding : uint8_t {
    absolute_pointer = 0x00,
    unsigned_2 = 0x02,
    unsigned_4 = 0x03,
    unsigned_8 = 0x04,
    signed_2 = 0x0a,
    signed_4 = 0x0b,
    signed_8 = 0x0c,
    format_mask = 0x0f,
    relative_to_place = 0x10,
    relative_to_header = 0x30,
    relation_mask = 0x70,
    indirect = 0x80,
};

struct EncodedPointer {
    bool known = false;
    uint64_t value = 0;
};

EncodedPointer read_format(ByteReader& reader, uint8_t encoding) {
    switch (encoding & format_mask) {
        case absolute_pointer:
        case unsigned_8:
        case signed_8:
            return {true, reader.read<uint64_t>()};
        case unsigned_2:
            return {true, reader.read<uint16_t>()};
        case unsigned_4:
            return {true, reader.read<uint32_t>()};
        case signed_2:
            return {true, static_cast<uint64_t>(int64_t{reader.read<int16_t>()})};
        case signed_4:
            return {true, static_cast<uint64_t>(int64_t{reader.read<int32_t>()})};
        default:
            return {};
    }
}

EncodedPointer read_pointer(ByteReader& reader, uint8_t encoding, uint64_t header) {
    if ((encoding & indirect) != 0) {
        return {};
    }
    const uint64_t place = reader.address();
    EncodedPointer pointer = read_format(reader, encoding);
    switch (encoding & relation_mask) {
        case 0:
            return pointer;
        case relative_to_place:
            return {pointer.known, pointer.value + place};
        case relative_to_header:
            return {pointer.known, pointer.value + header};
        default:
            return {};
    }
}

// The sorted table of .eh_frame_hdr: pairs of function start and FDE address, each 4 bytes from the header.
// It is the one form that linkers write.
class SearchTable {
  public:
    explicit SearchTable(const UnwindSection& section) : section_(section) {
        ByteReader reader(section.segment, section.header);
        const auto version = reader.read<uint8_t>();
        const auto frame_encoding = reader.read<uint8_t>();
        const auto count_encoding = reader.read<uint8_t>();
        const auto table_encoding = reader.read<uint8_t>();
        if (version != 1 || table_encoding != (relative_to_header | signed_4)) {
            return;
        }
        const EncodedPointer frames = read_pointer(reader, frame_encoding, section.header);
        const EncodedPointer count = read_pointer(reader, count_encoding, section.header);
        if (!frames.known || !count.known) {
            return;
        }
        first_ = reader.address();
        reader.skip(count.value * entry_bytes);
        if (reader.good() && count.value <= section.segment.bytes / entry_bytes) {
            count_ = count.value;
        }
    }

    // Address of the FDE of the last function that starts at or before `address`, or 0.
    uint64_t find(uint64_t address) const {
        uint64_t low = 0;
        uint64_t high = count_;
        while (low < high) {
            const uint64_t middle = low + (high - low) / 2;
            if (field(middle, 0) <= address) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low != 0 ? field(low - 1, 4) : 0;
    }

  private:
    static constexpr uint64_t entry_bytes = 8;

    uint64_t field(uint64_t index, uint64_t offset) const {
        ByteReader reader(section_.segment, first_ + index * entry_bytes + offset);
        return section_.header + static_cast<uint64_t>(int64_t{reader.read<int32_t>()});
    }

    const UnwindSection& section_;
    uint64_t first_ = 0;
    uint64_t count_ = 0;
};

// Reads an entry's length, and ends the reader where the entry ends.
void enter_entry(ByteReader& reader) {
    uint64_t length = reader.read<uint32_t>();
    if (length == 0xffffffff) {
        length = reader.read<uint64_t>();
    }
    reader.end_at(reader.address() + length);
}

// What a CIE's augmentation letters announce, in their order. False for what is unknown and for signal
// frames, whose registers the kernel saved: a chain ends there.
bool read_augmentation(ByteReader& reader, const char* letters, CallFrameProgram& program) {
    for (; *letters != 0; ++letters) {
        if (*letters == 'R') {
            program.pointer_encoding = reader.read<uint8_t>();
        } else if (*letters == 'L') {
            reader.skip(1);
        } else if (*letters == 'P') {
            const auto encoding = static_cast<uint8_t>(reader.read<uint8_t>() & ~indirect);
            if (!read_pointer(reader, encoding, 0).known) {
                return false;
            }
        } else {
            return false;
        }
    }
    return true;
}

bool read_cie(const UnwindSection& section, uint64_t address, CallFrameProgram& program, bool& augmented) {
    ByteReader reader(section.segment, address);
    enter_entry(reader);
    if (reader.read<uint32_t>() != 0) {
        return false;
    }
    const auto version = reader.read<uint8_t>();
    char letters[8] = {};
    unsigned count = 0;
    while (const char letter = reader.read<char>()) {
        if (count == sizeof(letters) - 1) {
            return false;
        }
        letters[count++] = letter;
    }
    program.code_alignment = reader.read_uleb128();
    program.data_alignment = reader.read_sleb128();
    const uint64_t return_column = version == 1 ? reader.read<uint8_t>() : reader.read_uleb128();
    if ((version != 1 && version != 3) || return_column != 16) {
        return false;
    }
    augmented = letters[0] == 'z';
    if (augmented) {
        const uint64_t bytes = reader.read_uleb128();
        const uint64_t end = reader.address() + bytes;
        if (!read_augmentation(reader, letters + 1, program)) {
            return false;
        }
        reader.skip(end - reader.address());
    } else if (letters[0] != 0) {
        return false;
    }
    program.initial = reader;
    return reader.good();
}

bool read_fde(const UnwindSection& section, uint64_t fde, uint64_t address, CallFrameProgram& program) {
    ByteReader reader(section.segment, fde);
    enter_entry(reader);
    const uint64_t place = reader.address();
    const auto back = reader.read<uint32_t>();
    bool augmented = false;
    if (back == 0 || !read_cie(section, place - back, program, augmented)) {
        return false;
    }
    const EncodedPointer start = read_pointer(reader, program.pointer_encoding, section.header);
    const EncodedPointer bytes = read_pointer(reader, program.pointer_encoding & format_mask, 0);
    if (!start.known || !bytes.known || address - start.value >= bytes.value) {
        return false;
    }
    if (augmented) {
        reader.skip(reader.read_uleb128());
    }
    program.start = start.value;
    program.body = reader;
    return reader.good();
}

}  // namespace

FrameDescription describe_frame(const UnwindSection& section, uint64_t return_address) {
    // A call may be the last instruction of its function, so the return address itself may lie in the next
    // one.
    const uint64_t address = return_address - 1;
    const uint64_t fde = SearchTable(section).find(address);
    CallFrameProgram program;
    if (fde == 0 || !read_fde(section, fde, address, program)) {
        return {};
    }
    return {run_call_frame_program(program, address), program.start};
}

}  // namespace malloom::context
