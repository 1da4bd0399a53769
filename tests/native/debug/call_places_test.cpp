// Reads this test's own debug information, whole and damaged.
#include "src/native/debug/call_places.h"
#include "tests/amount.h"

#include <elf.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <map>
#include <random>
#include <string>
#include <vector>

using namespace malloom::native;

extern "C" const char __executable_start[];

namespace {

using Sections = std::map<std::string, std::vector<unsigned char>>;

Sections own_sections() {
    std::ifstream stream("/proc/self/exe", std::ios::binary);
    const std::string file((std::istreambuf_iterator<char>(stream)), std::istreambuf_iterator<char>());
    Elf64_Ehdr header;
    std::memcpy(&header, file.data(), sizeof header);
    std::vector<Elf64_Shdr> table(header.e_shnum);
    std::memcpy(table.data(), &file[header.e_shoff], table.size() * sizeof table[0]);
    Sections sections;
    for (const Elf64_Shdr& section : table) {
        const char* name = &file[table[header.e_shstrndx].sh_offset + section.sh_name];
        if (section.sh_type == SHT_PROGBITS) {
            sections[name].assign(&file[section.sh_offset], &file[section.sh_offset] + section.sh_size);
        }
    }
    return sections;
}

DebugSections views(const Sections& sections) {
    const auto view = [&](const char* name) {
        const auto found = sections.find(name);
        return found != sections.end() ? Bytes(found->second) : Bytes();
    };
    return {view(".debug_info"), view(".debug_abbrev"),   view(".debug_line"),
            view(".debug_addr"), view(".debug_rnglists"), view(".debug_ranges")};
}

uint64_t load_bias();

/// Where this function's code is, as the file has it, and the line on which it is declared.
__attribute__((noinline)) uint64_t here() {
    asm volatile("" ::: "memory");
    return reinterpret_cast<uint64_t>(__builtin_extract_return_addr(__builtin_return_address(0)));
}
constexpr unsigned bias_line = __LINE__ + 1;
__attribute__((noinline)) uint64_t load_bias() {
    return reinterpret_cast<uint64_t>(__executable_start);
}

}  // namespace

TEST(CallPlaces, HaveLinesColumnsAndTheFunctionsDeclaration) {
    const Sections sections = own_sections();
    ASSERT_GT(sections.at(".debug_info").size(), 1000u);
    const uint64_t bias = load_bias();
    const uint64_t function = reinterpret_cast<uint64_t>(&load_bias) - bias;
    const uint64_t call = here() - 1 - bias;
    constexpr unsigned call_line = __LINE__ - 1;
    std::vector<uint64_t> addresses{call, function};
    const bool is_call_first = call < function;
    if (!is_call_first) std::swap(addresses[0], addresses[1]);
    const auto places = find_call_places(views(sections), addresses);
    const auto& of_call = places[is_call_first ? 0 : 1];
    const auto& of_function = places[is_call_first ? 1 : 0];
    ASSERT_FALSE(of_call.empty());
    EXPECT_EQ(of_call.front().line, call_line);
    EXPECT_GT(of_call.front().column, 0u);
    ASSERT_EQ(of_function.size(), 1u);
    // Optimised, a function may begin with the code of a later line.
    EXPECT_GE(of_function[0].line, bias_line);
    EXPECT_LE(of_function[0].line, bias_line + 2);
    EXPECT_EQ(of_function[0].function_line, bias_line);
    // Each function has its own entry, somewhere in the section.
    EXPECT_NE(of_function[0].entry, of_call.back().entry);
    EXPECT_LT(of_function[0].entry, sections.at(".debug_info").size());
    EXPECT_GT(of_call.back().entry, 0u);
}

TEST(CallPlaces, StayInBoundsWhateverIsDamaged) {
    const Sections whole = own_sections();
    std::vector<uint64_t> addresses;
    const uint64_t apart = malloom::tests::does_all() ? 997 : 3989;
    for (uint64_t address = 0; address < 400'000; address += apart) addresses.push_back(address);
    std::mt19937 random(1);  // NOLINT: the same damage every time
    for (unsigned round = 0; round < (malloom::tests::does_all() ? 30U : 3U); ++round) {
        Sections damaged = whole;
        for (auto& [name, data] : damaged) {
            if (!name.starts_with(".debug_") || data.empty()) continue;
            for (unsigned i = 0; i < 64; ++i)
                data[random() % data.size()] = static_cast<unsigned char>(random());
            if (round % 3 == 0) data.resize(random() % data.size());
        }
        EXPECT_EQ(find_call_places(views(damaged), addresses).size(), addresses.size());
    }
}

TEST(CallPlaces, OfNoDebugInformationAreNone) {
    const std::vector<uint64_t> addresses{1, 2, 3};
    const auto places = find_call_places({}, addresses);
    ASSERT_EQ(places.size(), 3u);
    EXPECT_TRUE(places[0].empty());
}
