// Generated bin functions: called, where this machine can, and what `generate` says of what it is given.
#include "runtime/codegen/bins/bin_code.h"

#include <gtest/gtest.h>

#include <limits>

#include "tests/amount.h"
#include "tests/runtime/codegen/bins/generated.h"

namespace malloom::tests {
namespace {

using namespace codegen::bins;

/// The first size below `end` whose bin is wrong; `end` if there is none.
size_t first_wrong_size(BinFunction function, const BinRanges& ranges, size_t end) {
    unsigned range = 0;
    for (size_t size = 0; size < end; ++size) {
        while (range + 1 < ranges.count && size >= ranges.end(range)) {
            ++range;
        }
        if (function(size) != ranges.index(range)) {
            return size;
        }
    }
    return end;
}

class GeneratedTest : public testing::Test {
  protected:
    void SetUp() override {
        ASSERT_NE(own_instruction_set(), nullptr) << "nothing is generated for this machine";
    }

    CodeRoom room_;
};

TEST_F(GeneratedTest, EverySizeHasItsBin) {
    const size_t end = amount(size_t{2} << 20);
    bool has_landing_pad = false;
    for (const Layout& layout : various_layouts()) {
        const BinFunction function = room_.function_of(layout, has_landing_pad);
        EXPECT_TRUE(is_right(function, layout.ranges())) << layout.name;
        EXPECT_EQ(first_wrong_size(function, layout.ranges(), end), end) << layout.name;
        has_landing_pad = !has_landing_pad;
    }
}

TEST_F(GeneratedTest, SizesOfMoreBitsBelongToTheLastBin) {
    const Layout layout = original_layout();
    const BinFunction function = room_.function_of(layout);
    for (unsigned bit = 20; bit < std::numeric_limits<size_t>::digits; ++bit) {
        EXPECT_EQ(function(size_t{1} << bit), layout.begins.size() - 1) << bit;
    }
    EXPECT_EQ(function(SIZE_MAX), layout.begins.size() - 1);
}

TEST_F(GeneratedTest, CheckNoticesABeginThatMoved) {
    Random random(3);
    const Layout layout = random_layout(random, 60, 1, 100);
    const BinFunction function = room_.function_of(layout);
    ASSERT_TRUE(is_right(function, layout.ranges()));
    for (size_t range = 1; range < layout.begins.size(); ++range) {
        Layout moved = layout;
        moved.begins[range] += up_to(random, 1) == 0 && moved.ranges().width(range - 1) > 1 ? -1U : 1U;
        if (range + 1 < layout.begins.size() && moved.begins[range] >= moved.begins[range + 1]) {
            continue;
        }
        EXPECT_FALSE(is_right(function, moved.ranges())) << range;
    }
}

TEST_F(GeneratedTest, CheckNoticesAnotherBin) {
    Random random(4);
    Layout layout = with_random_indices(random, random_layout(random, 60, 8, 100));
    const BinFunction function = room_.function_of(layout);
    for (uint16_t& index : layout.indices) {
        index ^= 1;
        EXPECT_FALSE(is_right(function, layout.ranges()));
        index ^= 1;
    }
    EXPECT_TRUE(is_right(function, layout.ranges()));
}

TEST(GenerateTest, TakesTheRoomThatItAskedFor) {
    for (const NamedInstructionSet& each : named_instruction_sets) {
        const Layout layout = original_layout();
        std::vector<uint32_t> scratch(layout.begins.size());
        const GeneratedCode asked = generate(layout.ranges(), *each.set, scratch.data(), nullptr, 0, false);
        EXPECT_EQ(asked.problem, CodeProblem::room_too_small) << each.name;
        EXPECT_EQ(asked.begin, nullptr) << each.name;

        alignas(4) unsigned char room[256];
        for (size_t offset = 4; offset < 8; ++offset) {
            unsigned char* const begin = room + offset;
            for (size_t bytes = 0; bytes <= asked.bytes; ++bytes) {
                std::fill(std::begin(room), std::end(room), 0xaa);
                const GeneratedCode code =
                    generate(layout.ranges(), *each.set, scratch.data(), begin, bytes, false);
                EXPECT_EQ(begin[-1], 0xaa) << each.name;
                EXPECT_EQ(begin[bytes], 0xaa) << each.name;
                if (code.problem == CodeProblem::none) {
                    EXPECT_GE(code.begin, begin) << each.name;
                    EXPECT_LE(code.begin + code.bytes, begin + bytes) << each.name;
                    EXPECT_EQ(Code(code.begin, code.begin + code.bytes), code_of(layout, *each.set))
                        << each.name;
                } else {
                    EXPECT_EQ(code.problem, CodeProblem::room_too_small) << each.name;
                    EXPECT_EQ(code.bytes, asked.bytes) << each.name;
                    EXPECT_LT(bytes, asked.bytes) << each.name;
                }
            }
        }
    }
}

TEST(GenerateTest, WeightsMayBeTheScratch) {
    Random random(5);
    Layout layout = with_random_weights(random, random_layout(random, 300, 8, 50), 100000);
    const Code expected = code_of(layout, instruction_sets::riscv);
    Code room(expected.size() + 32);
    const GeneratedCode code = generate(layout.ranges(), instruction_sets::riscv, layout.weights.data(),
                                        room.data(), room.size(), false);
    ASSERT_EQ(code.problem, CodeProblem::none);
    EXPECT_EQ(Code(code.begin, code.begin + code.bytes), expected);
}

TEST(GenerateTest, LandingPadIsAllThatItAdds) {
    for (const NamedInstructionSet& each : named_instruction_sets) {
        const Code plain = code_of(original_layout(), *each.set, false);
        const Code marked = code_of(original_layout(), *each.set, true);
        ASSERT_EQ(marked.size(), plain.size() + 4) << each.name;
        EXPECT_TRUE(std::equal(plain.begin(), plain.end(), marked.begin() + 4)) << each.name;
    }
}

TEST(GenerateTest, RefusesRangesThatCannotBe) {
    const auto problem_of = [](const Layout& layout) {
        std::vector<uint32_t> scratch(layout.begins.size());
        return generate(layout.ranges(), instruction_sets::x86_64, scratch.data(), nullptr, 0, false).problem;
    };
    EXPECT_EQ(problem_of({"none", {}}), CodeProblem::bad_count);
    EXPECT_EQ(problem_of({"equal", {0, 16, 16, 32}}), CodeProblem::not_ascending);
    EXPECT_EQ(problem_of({"back", {0, 16, 8}}), CodeProblem::not_ascending);
    EXPECT_EQ(problem_of({"two at 0", {0, 0}}), CodeProblem::not_ascending);
    EXPECT_EQ(problem_of({"the first counts as 0", {16, 8}}), CodeProblem::room_too_small);
    Random random(6);
    EXPECT_EQ(problem_of(random_layout(random, most_ranges, 1, 9)), CodeProblem::room_too_small);
    EXPECT_EQ(problem_of(random_layout(random, most_ranges + 1, 1, 9)), CodeProblem::bad_count);
}

/// Bytes for each bin, of the layout's code.
double bytes_a_bin(const Layout& layout, const InstructionSet& instructions) {
    return static_cast<double>(code_of(layout, instructions).size()) /
           static_cast<double>(layout.begins.size());
}

TEST(GenerateTest, CodeIsSmall) {
    // dlmalloc's bins are runs but for the last one.
    for (const NamedInstructionSet& each : named_instruction_sets) {
        EXPECT_LT(bytes_a_bin(original_layout(), *each.set), 1.1) << each.name;
        EXPECT_LT(bytes_a_bin(descending(original_layout()), *each.set), 1.3) << each.name;
    }
    // As many bins as dlmalloc's of irregular widths, with bins in order and in no order, up to 64 KiB.
    Random random(7);
    Layout layout = random_layout(random, original_count, 8, 120);
    ASSERT_LT(layout.begins.back(), 1U << 16);
    EXPECT_LT(bytes_a_bin(layout, instruction_sets::riscv), 16);
    EXPECT_LT(bytes_a_bin(layout, instruction_sets::thumb2), 11);
    for (unsigned range = 0; range < original_count; ++range) {
        layout.indices.push_back(static_cast<uint16_t>(range * 37 % original_count));
    }
    EXPECT_LE(bytes_a_bin(layout, instruction_sets::riscv), 20);
    EXPECT_LE(bytes_a_bin(layout, instruction_sets::thumb2), 14);
    // Up to 64 MiB, with bins in order.
    for (uint32_t widest = 100; widest <= 1 << 16; widest *= 8) {
        for (const uint32_t step : {1U, 8U, 16U}) {
            Layout wide = random_layout(random, original_count, step, widest);
            EXPECT_LE(bytes_a_bin(wide, instruction_sets::riscv), 20) << wide.name;
            EXPECT_LE(bytes_a_bin(wide, instruction_sets::thumb2), 14) << wide.name;
        }
    }
}

}  // namespace
}  // namespace malloom::tests
