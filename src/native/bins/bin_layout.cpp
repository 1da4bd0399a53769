#include "src/native/bins/bin_layout.h"

#include "runtime/codegen/bins/bin_code.h"
#include "runtime/heaps/bins/redistribution.h"

namespace malloom::native {

namespace codegen = malloom::codegen::bins;

namespace {

struct Target {
    std::string_view name;
    const codegen::InstructionSet& instructions;
    bool has_landing_pad;  ///< where systems may check indirect calls
};
const Target targets[] = {{"x86_64", codegen::instruction_sets::x86_64, true},
                          {"aarch64", codegen::instruction_sets::aarch64, true},
                          {"riscv64", codegen::instruction_sets::riscv, true},
                          {"riscv32", codegen::instruction_sets::riscv, false},
                          {"thumb2", codegen::instruction_sets::thumb2, false}};

codegen::GeneratedCode generate(const codegen::BinRanges& ranges, const Target& target,
                                std::vector<uint8_t>& room) {
    // The scratch memory: the weights themselves are needed twice.
    std::vector<uint32_t> scratch(ranges.count);
    return codegen::generate(ranges, target.instructions, scratch.data(), room.data(), room.size(),
                             target.has_landing_pad);
}

}  // namespace

std::vector<uint32_t> lay_out_bins(const CountedSizes& old, unsigned wanted) {
    std::vector<uint32_t> begins(wanted);
    const heaps::bins::CountedBins counted = {old.begins.data(), old.counts.data(),
                                              static_cast<unsigned>(old.begins.size()), old.end, old.granule};
    begins.resize(heaps::bins::redistribute_smoothly(counted, wanted, begins.data()));
    return begins;
}

std::vector<uint8_t> bin_code(std::span<const uint32_t> begins, std::span<const uint32_t> weights,
                              std::string_view wanted) {
    const codegen::BinRanges ranges = {begins.data(), nullptr, weights.data(),
                                       static_cast<unsigned>(begins.size())};
    for (const Target& target : targets) {
        if (target.name == wanted) {
            std::vector<uint8_t> room;
            room.resize(generate(ranges, target, room).bytes + 4);
            const codegen::GeneratedCode code = generate(ranges, target, room);
            return code.begin == nullptr ? std::vector<uint8_t>()
                                         : std::vector<uint8_t>(code.begin, code.begin + code.bytes);
        }
    }
    return {};
}

}  // namespace malloom::native
