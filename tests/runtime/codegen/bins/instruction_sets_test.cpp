// Generated code as a public disassembler reads it.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "runtime/codegen/bins/code_writer.h"
#include "tests/runtime/codegen/bins/generated.h"

namespace malloom::tests {
namespace {

using namespace codegen::bins;
using Lines = std::vector<std::string>;

/// What a command prints.
std::string output_of(const std::string& command) {
    std::string output;
    std::FILE* const stream = popen((command + " 2>&1").c_str(), "r");
    char part[4096];
    while (stream != nullptr && std::fgets(part, sizeof part, stream) != nullptr) {
        output += part;
    }
    EXPECT_TRUE(stream != nullptr && pclose(stream) == 0) << command << "\n" << output;
    return output;
}

/// One blank between words.
std::string trimmed(const std::string& line) {
    std::istringstream words(line);
    std::string result;
    for (std::string word; words >> word;) {
        result += (result.empty() ? "" : " ") + word;
    }
    return result;
}

/// The instructions, as LLVM reads the code; what it says of bytes that are none is among them.
Lines disassembled(const std::string& triple, const Code& code) {
    const std::filesystem::path path =
        std::filesystem::temp_directory_path() / ("bin_code_" + std::to_string(getpid()));
    std::ofstream file(path);
    for (const unsigned char byte : code) {
        file << static_cast<unsigned>(byte) << '\n';
    }
    file.close();
    std::istringstream output(output_of("llvm-mc-19 --disassemble --triple=" + triple + " " + path.string()));
    std::filesystem::remove(path);
    Lines lines;
    for (std::string line; std::getline(output, line);) {
        const std::string instruction =
            trimmed(line.substr(0, std::min(line.find("//"), line.find("# imm"))));
        if (!instruction.empty() && instruction[0] != '.') {
            lines.push_back(instruction);
        }
    }
    return lines;
}

class InstructionSetTest : public testing::TestWithParam<NamedInstructionSet> {};

TEST_P(InstructionSetTest, EveryInstructionIsKnown) {
    Code all;
    for (const Layout& layout : various_layouts()) {
        const Code code = code_of(layout, *GetParam().set, layout.begins.size() % 2 == 0);
        ASSERT_FALSE(code.empty()) << layout.name;
        all.insert(all.end(), code.begin(), code.end());
    }
    const Lines lines = disassembled(GetParam().triple, all);
    EXPECT_GT(lines.size(), all.size() / 8);
    for (const std::string& line : lines) {
        EXPECT_EQ(line.find("warning"), std::string::npos) << line;
    }
}

INSTANTIATE_TEST_SUITE_P(All, InstructionSetTest, testing::ValuesIn(named_instruction_sets),
                         [](const auto& instance) { return std::string(instance.param.triple); });

/// What an instruction set's function writes before `bytes` of other code.
template <typename Write>
Lines written(const NamedInstructionSet& each, size_t bytes, Write write) {
    alignas(4) unsigned char room[16384];
    CodeWriter code(room, sizeof room);
    while (code.written() < bytes) {
        code.put_1(0);
    }
    write(code);
    EXPECT_TRUE(code.is_whole());
    return disassembled(each.triple, Code(code.begin(), code.begin() + (code.written() - bytes)));
}

/// A comparison that jumps over so many bytes.
Lines compared(const NamedInstructionSet& each, size_t bytes, const Comparison& comparison) {
    return written(each, bytes, [&](CodeWriter& code) { each.set->compare(code, comparison); });
}

Lines constant(const NamedInstructionSet& each, unsigned value) {
    return written(each, 0, [&](CodeWriter& code) { each.set->return_constant(code, value); });
}

Lines run(const NamedInstructionSet& each, const Run& value) {
    return written(each, 0, [&](CodeWriter& code) { each.set->return_run(code, value); });
}

uint32_t minus(uint32_t value) {
    return 0 - value;
}

const NamedInstructionSet& riscv = named_instruction_sets[0];
const NamedInstructionSet& thumb2 = named_instruction_sets[2];
const NamedInstructionSet& x86_64 = named_instruction_sets[3];
const NamedInstructionSet& aarch64 = named_instruction_sets[4];

TEST(RiscvTest, Comparisons) {
    EXPECT_EQ(compared(riscv, 8, {100, 0, 0, false, false}), Lines({"li t0, 100", "bgeu a0, t0, 12"}));
    EXPECT_EQ(compared(riscv, 8, {2047, 0, 0, false, true}), Lines({"li t0, 2047", "bltu a0, t0, 12"}));
    EXPECT_EQ(compared(riscv, 8, {8192, 0, 0, false, true}), Lines({"lui t0, 2", "bltu a0, t0, 12"}));
    EXPECT_EQ(compared(riscv, 8, {5000, 0, 0, false, true}),
              Lines({"lui t0, 1", "addi t0, t0, 904", "bltu a0, t0, 12"}));
    EXPECT_EQ(
        compared(riscv, 8, {0x7fffffff, 0, 0, false, false}),
        Lines({"lui t0, 256", "addi t0, t0, -1", "slli t0, t0, 11", "addi t0, t0, 2047", "bgeu a0, t0, 12"}));
    EXPECT_EQ(compared(riscv, 8, {5, 0, 9, true, false}),
              Lines({"srli t1, a0, 9", "li t0, 5", "bgeu t1, t0, 12"}));
    EXPECT_EQ(compared(riscv, 8, {21, 0, 9, false, true}), Lines({"li t0, 21", "bltu t1, t0, 12"}));
    EXPECT_EQ(compared(riscv, 8, {1, 0, 9, true, true}), Lines({"srli t1, a0, 9", "beqz t1, 12"}));
    EXPECT_EQ(compared(riscv, 8, {1, 0, 0, false, false}), Lines({"bnez a0, 12"}));
}

TEST(RiscvTest, JumpsOfAnyDistance) {
    EXPECT_EQ(compared(riscv, 4088, {100, 0, 0, false, false}), Lines({"li t0, 100", "bgeu a0, t0, 4092"}));
    EXPECT_EQ(compared(riscv, 2048, {100, 0, 0, false, false}), Lines({"li t0, 100", "bgeu a0, t0, 2052"}));
    EXPECT_EQ(compared(riscv, 4092, {100, 0, 0, false, false}),
              Lines({"li t0, 100", "bltu a0, t0, 8", "j 4096"}));
    EXPECT_EQ(compared(riscv, 15000, {1, 0, 3, false, true}), Lines({"bnez t1, 8", "j 15004"}));
}

TEST(RiscvTest, Results) {
    EXPECT_EQ(constant(riscv, 0), Lines({"li a0, 0", "ret"}));
    EXPECT_EQ(constant(riscv, 2048), Lines({"lui a0, 1", "addi a0, a0, -2048", "ret"}));
    EXPECT_EQ(constant(riscv, 65535), Lines({"lui a0, 16", "addi a0, a0, -1", "ret"}));
    EXPECT_EQ(run(riscv, {0, 3, 0, false}), Lines({"srli a0, a0, 3", "ret"}));
    EXPECT_EQ(run(riscv, {56 << 6, 6, 0, false}), Lines({"srli a0, a0, 6", "addi a0, a0, 56", "ret"}));
    EXPECT_EQ(run(riscv, {91 << 9, 9, 9, false}), Lines({"addi a0, t1, 91", "ret"}));
    EXPECT_EQ(run(riscv, {0, 9, 9, false}), Lines({"mv a0, t1", "ret"}));
    EXPECT_EQ(run(riscv, {minus(24), 5, 0, false}), Lines({"addi a0, a0, -24", "srli a0, a0, 5", "ret"}));
    EXPECT_EQ(run(riscv, {100001, 12, 0, false}),
              Lines({"addi a0, a0, 1697", "srli a0, a0, 12", "addi a0, a0, 24", "ret"}));
    EXPECT_EQ(run(riscv, {0x123456, 20, 0, false}),
              Lines({"lui t0, 291", "addi t0, t0, 1110", "add a0, a0, t0", "srli a0, a0, 20", "ret"}));
    EXPECT_EQ(run(riscv, {511, 3, 0, true}), Lines({"srli a0, a0, 3", "li t0, 63", "sub a0, t0, a0", "ret"}));
    EXPECT_EQ(run(riscv, {1000, 3, 0, true}),
              Lines({"li t0, 1000", "sub a0, t0, a0", "srli a0, a0, 3", "ret"}));
}

// Distances are from four bytes after the jump.
TEST(Thumb2Test, Comparisons) {
    EXPECT_EQ(compared(thumb2, 8, {100, 0, 0, false, false}), Lines({"cmp r0, #100", "bhs #6"}));
    EXPECT_EQ(compared(thumb2, 8, {0x3fc00, 0, 0, false, true}), Lines({"cmp.w r0, #261120", "blo #6"}));
    EXPECT_EQ(compared(thumb2, 8, {0x80000000, 0, 0, false, true}),
              Lines({"cmp.w r0, #2147483648", "blo #6"}));
    EXPECT_EQ(compared(thumb2, 8, {0xabcd, 0, 0, false, true}),
              Lines({"movw r2, #43981", "cmp r0, r2", "blo #6"}));
    EXPECT_EQ(compared(thumb2, 8, {0x12345678, 0, 0, false, false}),
              Lines({"movw r2, #22136", "movt r2, #4660", "cmp r0, r2", "bhs #6"}));
    EXPECT_EQ(compared(thumb2, 8, {5, 0, 9, true, false}),
              Lines({"lsrs r1, r0, #9", "cmp r1, #5", "bhs #6"}));
    EXPECT_EQ(compared(thumb2, 8, {300, 0, 9, false, false}), Lines({"cmp.w r1, #300", "bhs #6"}));
    EXPECT_EQ(compared(thumb2, 8, {301, 0, 9, false, false}),
              Lines({"movw r2, #301", "cmp r1, r2", "bhs #6"}));
}

TEST(Thumb2Test, JumpsOfAnyDistance) {
    EXPECT_EQ(compared(thumb2, 256, {100, 0, 0, false, false}), Lines({"cmp r0, #100", "bhs #254"}));
    EXPECT_EQ(compared(thumb2, 258, {100, 0, 0, false, false}), Lines({"cmp r0, #100", "bhs.w #258"}));
    EXPECT_EQ(compared(thumb2, 12346, {100, 0, 0, false, true}), Lines({"cmp r0, #100", "blo.w #12346"}));
}

TEST(Thumb2Test, Results) {
    EXPECT_EQ(constant(thumb2, 255), Lines({"movs r0, #255", "bx lr"}));
    EXPECT_EQ(constant(thumb2, 0xfedc), Lines({"movw r0, #65244", "bx lr"}));
    EXPECT_EQ(run(thumb2, {0, 3, 0, false}), Lines({"lsrs r0, r0, #3", "bx lr"}));
    EXPECT_EQ(run(thumb2, {56 << 6, 6, 0, false}), Lines({"lsrs r0, r0, #6", "adds r0, #56", "bx lr"}));
    EXPECT_EQ(run(thumb2, {minus(24), 5, 0, false}), Lines({"subs r0, #24", "lsrs r0, r0, #5", "bx lr"}));
    EXPECT_EQ(run(thumb2, {minus(3001), 11, 0, false}),
              Lines({"subw r0, r0, #3001", "lsrs r0, r0, #11", "bx lr"}));
    EXPECT_EQ(run(thumb2, {2049, 10, 0, false}), Lines({"addw r0, r0, #2049", "lsrs r0, r0, #10", "bx lr"}));
    EXPECT_EQ(run(thumb2, {0x123456, 20, 0, false}),
              Lines({"movw r2, #13398", "movt r2, #18", "adds r0, r0, r2", "lsrs r0, r0, #20", "bx lr"}));
    EXPECT_EQ(run(thumb2, {minus(0x9001), 16, 0, false}),
              Lines({"movw r2, #36865", "subs r0, r0, r2", "lsrs r0, r0, #16", "bx lr"}));
    EXPECT_EQ(run(thumb2, {511, 3, 0, true}),
              Lines({"lsrs r0, r0, #3", "movs r2, #63", "subs r0, r2, r0", "bx lr"}));
    EXPECT_EQ(run(thumb2, {1000, 3, 0, true}),
              Lines({"movw r2, #1000", "subs r0, r2, r0", "lsrs r0, r0, #3", "bx lr"}));
}

TEST(X86_64Test, Comparisons) {
    EXPECT_EQ(compared(x86_64, 8, {100, 0, 0, false, false}), Lines({"cmpq $100, %rdi", "jae 8"}));
    EXPECT_EQ(compared(x86_64, 8, {128, 0, 0, false, true}), Lines({"cmpq $128, %rdi", "jb 8"}));
    EXPECT_EQ(compared(x86_64, 8, {0x7fffffff, 0, 0, false, true}),
              Lines({"cmpq $2147483647, %rdi", "jb 8"}));
    EXPECT_EQ(compared(x86_64, 8, {0x80000000, 0, 0, false, true}),
              Lines({"movl $2147483648, %eax", "cmpq %rax, %rdi", "jb 8"}));
}

TEST(X86_64Test, JumpsOfAnyDistance) {
    EXPECT_EQ(compared(x86_64, 127, {100, 0, 0, false, true}), Lines({"cmpq $100, %rdi", "jb 127"}));
    EXPECT_EQ(compared(x86_64, 128, {100, 0, 0, false, true}), Lines({"cmpq $100, %rdi", "jb 128"}));
    EXPECT_EQ(compared(x86_64, 15000, {100, 0, 0, false, false}), Lines({"cmpq $100, %rdi", "jae 15000"}));
}

TEST(X86_64Test, Results) {
    EXPECT_EQ(constant(x86_64, 0), Lines({"xorl %eax, %eax", "retq"}));
    EXPECT_EQ(constant(x86_64, 65535), Lines({"movl $65535, %eax", "retq"}));
    EXPECT_EQ(run(x86_64, {0, 3, 0, false}), Lines({"movl %edi, %eax", "shrl $3, %eax", "retq"}));
    EXPECT_EQ(run(x86_64, {5, 0, 0, false}), Lines({"leal 5(%rdi), %eax", "retq"}));
    EXPECT_EQ(run(x86_64, {minus(128), 6, 0, false}),
              Lines({"leal -128(%rdi), %eax", "shrl $6, %eax", "retq"}));
    EXPECT_EQ(run(x86_64, {56 << 6, 6, 0, false}), Lines({"leal 3584(%rdi), %eax", "shrl $6, %eax", "retq"}));
    EXPECT_EQ(run(x86_64, {511, 3, 0, true}),
              Lines({"movl $511, %eax", "subl %edi, %eax", "shrl $3, %eax", "retq"}));
}

TEST(Aarch64Test, Comparisons) {
    EXPECT_EQ(compared(aarch64, 8, {100, 0, 0, false, false}), Lines({"cmp x0, #100", "b.hs #12"}));
    EXPECT_EQ(compared(aarch64, 8, {0x5000, 0, 0, false, true}), Lines({"cmp x0, #5, lsl #12", "b.lo #12"}));
    EXPECT_EQ(compared(aarch64, 8, {5000, 0, 0, false, true}),
              Lines({"mov w1, #5000", "cmp x0, x1", "b.lo #12"}));
    EXPECT_EQ(compared(aarch64, 8, {0x80000000, 0, 0, false, true}),
              Lines({"mov w1, #-2147483648", "cmp x0, x1", "b.lo #12"}));
    EXPECT_EQ(compared(aarch64, 8, {0x12345678, 0, 0, false, true}),
              Lines({"mov w1, #22136", "movk w1, #4660, lsl #16", "cmp x0, x1", "b.lo #12"}));
    EXPECT_EQ(compared(aarch64, 15000, {100, 0, 0, false, false}), Lines({"cmp x0, #100", "b.hs #15004"}));
}

TEST(Aarch64Test, Results) {
    EXPECT_EQ(constant(aarch64, 0), Lines({"mov w0, #0", "ret"}));
    EXPECT_EQ(constant(aarch64, 65535), Lines({"mov w0, #65535", "ret"}));
    EXPECT_EQ(run(aarch64, {0, 3, 0, false}), Lines({"lsr w0, w0, #3", "ret"}));
    EXPECT_EQ(run(aarch64, {minus(24), 5, 0, false}), Lines({"sub w0, w0, #24", "lsr w0, w0, #5", "ret"}));
    EXPECT_EQ(run(aarch64, {0x7000, 6, 0, false}),
              Lines({"add w0, w0, #7, lsl #12", "lsr w0, w0, #6", "ret"}));
    EXPECT_EQ(run(aarch64, {minus(0x123456), 20, 0, false}),
              Lines({"mov w1, #13398", "movk w1, #18, lsl #16", "sub w0, w0, w1", "lsr w0, w0, #20", "ret"}));
    EXPECT_EQ(run(aarch64, {511, 3, 0, true}), Lines({"mov w1, #63", "sub w0, w1, w0, lsr #3", "ret"}));
    EXPECT_EQ(run(aarch64, {1000, 3, 0, true}),
              Lines({"mov w1, #1000", "sub w0, w1, w0, lsr #0", "lsr w0, w0, #3", "ret"}));
}

TEST(LandingPadTest, IsWhatChecksExpect) {
    const auto first_of = [](const NamedInstructionSet& each, const std::string& triple) {
        return disassembled(triple, code_of(original_layout(), *each.set, true)).front();
    };
    EXPECT_EQ(first_of(x86_64, x86_64.triple), "endbr64");
    EXPECT_EQ(first_of(aarch64, "aarch64 --mattr=+bti"), "bti c");
    EXPECT_EQ(first_of(thumb2, "thumbv8.1m.main --mattr=+pacbti"), "bti");
    EXPECT_EQ(first_of(riscv, "riscv32 --mattr=+experimental-zicfilp"), "lpad 0");
}

}  // namespace
}  // namespace malloom::tests
