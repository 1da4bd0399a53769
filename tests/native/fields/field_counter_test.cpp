#include "src/native/fields/field_counter.h"

#include <gtest/gtest.h>

#include <array>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <vector>

#include "formats/fields_file.h"

using namespace malloom;
using native::FieldCounter;
using native::ResolvedAccess;

namespace {

constexpr uint64_t lines = 4;
constexpr native::AccessMisses hit{};
constexpr native::AccessMisses first_level{1, false};
constexpr native::AccessMisses all_levels{2, true};

ResolvedAccess load(uint32_t request, uint64_t offset, unsigned width = 3) {
    return {request, 1, offset | uint64_t{width} << ResolvedAccess::size_shift};
}

ResolvedAccess store(uint32_t request, uint64_t offset) {
    return {request, 1, load(request, offset).packed | ResolvedAccess::store_bit};
}

}  // namespace

TEST(FieldCounter, TellsFieldsByOffsetAndWidth) {
    const std::array<uint32_t, 2> kinds{0, 0};
    FieldCounter counter(kinds, 1, 2, lines);
    counter.add(load(0, 8), first_level);
    counter.add(store(1, 8), all_levels);
    counter.add(load(0, 0, 2), hit);
    counter.add(load(0, 0, 3), hit);
    const auto tables = counter.take();
    ASSERT_EQ(tables.fields.size(), 3u);
    EXPECT_EQ(tables.fields[0].bytes, 4u);
    EXPECT_EQ(tables.fields[1].bytes, 8u);
    EXPECT_EQ(tables.fields[2].offset, 8u);
    EXPECT_EQ(tables.fields[2].loads, 1u);
    EXPECT_EQ(tables.fields[2].stores, 1u);
    EXPECT_EQ(tables.fields[2].first_misses, 2u);
    EXPECT_EQ(tables.fields[2].last_misses, 1u);
    EXPECT_EQ(tables.fields[2].hidden_misses, 1u);
    EXPECT_EQ(tables.accesses, 4u);
}

TEST(FieldCounter, EndsAVisitWhenAsManyLinesHaveComeAsTheLevelHas) {
    const std::array<uint32_t, 2> kinds{0, 1};
    for (const uint64_t misses : {lines - 1, lines}) {
        FieldCounter counter(kinds, 2, 2, lines);
        counter.add(load(0, 0), first_level);
        for (uint64_t i = 0; i < misses; ++i) counter.add(load(1, 8 * i), first_level);
        counter.add(load(0, 16), hit);
        const auto tables = counter.take();
        EXPECT_EQ(tables.kinds[0].visits, misses < lines ? 1u : 2u);
        EXPECT_EQ(tables.kinds[0].pairs, misses < lines ? 1u : 0u);
    }
}

TEST(FieldCounter, KeepsVisitsInBoundedMemoryAndLosesNone) {
    constexpr uint32_t objects = 100'000;
    const std::vector<uint32_t> kinds(objects, 0);
    FieldCounter counter(kinds, 1, 2, lines);
    for (uint32_t object = 0; object < objects; ++object) {
        counter.add(load(object, 0), all_levels);
        counter.add(load(object, 8), hit);
    }
    const auto tables = counter.take();
    EXPECT_EQ(tables.kinds[0].visits, objects);
    ASSERT_EQ(tables.pairs.size(), 1u);
    EXPECT_EQ(tables.pairs[0].visits, objects);
}

TEST(FieldCounter, PairsTheFieldsThatWereUsedFirst) {
    const std::array<uint32_t, 1> kinds{0};
    FieldCounter counter(kinds, 1, 2, lines);
    constexpr unsigned fields = formats::fields::most_paired + 10;
    for (unsigned i = fields; i-- > 0;) counter.add(load(0, i * 8), hit);
    const auto tables = counter.take();
    EXPECT_EQ(tables.fields.size(), fields);
    constexpr uint64_t paired = formats::fields::most_paired;
    EXPECT_EQ(tables.pairs.size(), paired * (paired - 1) / 2);
    EXPECT_EQ(tables.fields.front().visits, 0u);
    EXPECT_EQ(tables.fields.back().visits, 1u);
}

TEST(FieldCounter, RefusesAnAccessToNoRequest) {
    const std::array<uint32_t, 1> kinds{0};
    FieldCounter counter(kinds, 1, 2, lines);
    EXPECT_THROW(counter.add(load(1, 0), hit), std::out_of_range);
}

TEST(FieldsFile, ReadsTheSampleWithoutALibrary) {
    std::ifstream stream(MALLOOM_SAMPLES "/version_1.fields", std::ios::binary);
    const std::string text((std::istreambuf_iterator<char>(stream)), std::istreambuf_iterator<char>());
    std::vector<uint64_t> aligned((text.size() + 7) / 8);
    text.copy(reinterpret_cast<char*>(aligned.data()), text.size());
    formats::FieldsFile file;
    ASSERT_TRUE(file.open(reinterpret_cast<const unsigned char*>(aligned.data()), text.size()))
        << file.problem();
    const auto& kind = file.kinds()[0];
    EXPECT_EQ(kind.size, 64u);
    EXPECT_EQ(file.fields_of(kind)[1].offset, 16u);
    EXPECT_EQ(file.pairs_of(kind)[0].visits, 6u);
    const auto& sites = file.sites();
    const auto& context = sites.contexts()[kind.context];
    const auto& site = sites.sites()[sites.frames()[context.first_frame].site];
    EXPECT_STREQ(sites.text(site.callee), "malloc");
    ASSERT_EQ(site.calls, 2u);
    const auto& call = sites.calls()[site.first_call];
    EXPECT_STREQ(sites.text(call.function), "make_node");
    EXPECT_STREQ(sites.text(call.file), "/opt/sample/list.c");
    EXPECT_EQ(call.line, 12u);
    EXPECT_EQ(call.column, 20u);
}
