#include "runtime/codegen/bins/bin_code.h"

#include "runtime/codegen/bins/code_writer.h"
#include "runtime/codegen/bins/range_tree.h"

namespace malloom::codegen::bins {
namespace {

CodeProblem problem_of(const BinRanges& ranges) {
    if (ranges.count == 0 || ranges.count > most_ranges) {
        return CodeProblem::bad_count;
    }
    for (unsigned range = 1; range < ranges.count; ++range) {
        if (ranges.begin(range) <= ranges.begin(range - 1)) {
            return CodeProblem::not_ascending;
        }
    }
    return CodeProblem::none;
}

/// Without what lies behind the last multiple of 4.
size_t aligned_bytes(const unsigned char* room, size_t bytes) {
    const size_t rest = (reinterpret_cast<uintptr_t>(room) + bytes) % 4;
    return bytes > rest ? bytes - rest : 0;
}

/// At any place: of x86-64 it need not be aligned.
void put_landing_pad(CodeWriter& code, uint32_t instruction) {
    code.prepare();
    for (unsigned byte = 4; byte-- != 0;) {
        code.put_1(instruction >> 8 * byte);
    }
}

}  // namespace

GeneratedCode generate(const BinRanges& ranges, const InstructionSet& instructions, uint32_t* scratch,
                       unsigned char* room, size_t room_bytes, bool has_landing_pad) {
    const CodeProblem problem = problem_of(ranges);
    if (problem != CodeProblem::none) {
        return {nullptr, 0, problem};
    }
    CodeWriter code(room, aligned_bytes(room, room_bytes));
    write_tree(ranges, instructions, scratch, code);
    if (has_landing_pad) {
        put_landing_pad(code, instructions.landing_pad);
    }
    if (!code.is_whole()) {
        return {nullptr, code.written() + CodeWriter::longest_piece + 3, CodeProblem::room_too_small};
    }
    return {code.begin(), code.written(), CodeProblem::none};
}

bool is_right(BinFunction function, const BinRanges& ranges) {
    for (unsigned range = 0; range < ranges.count; ++range) {
        const unsigned index = ranges.index(range);
        const size_t first = ranges.begin(range);
        const size_t last = range + 1 < ranges.count ? ranges.end(range) - 1 : SIZE_MAX;
        const size_t second = first < last ? first + 1 : last;
        if (function(first) != index || function(second) != index || function(last) != index) {
            return false;
        }
    }
    return true;
}

}  // namespace malloom::codegen::bins
