// Patched code against the same code unpatched.
#include "runtime/codegen/x86_64/load_patcher.h"

#include <gtest/gtest.h>

#include <atomic>
#include <bit>
#include <cstring>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

#include "tests/runtime/codegen/x86_64/code_page.h"
#include "tests/runtime/codegen/x86_64/code_snippets.h"

namespace malloom {
namespace {

using codegen::x86_64::LoadSite;
using codegen::x86_64::Patched;
using formats::plan::PlanPrefetch;
using formats::plan::PrefetchKind;
using tests::CodePage;
using tests::Data;
using tests::Registers;
using tests::Snippet;

PlanPrefetch prefetch_for(const Snippet& snippet, PrefetchKind kind, int32_t distance) {
    PlanPrefetch prefetch = {};
    prefetch.base = snippet.base;
    prefetch.index = snippet.index;
    prefetch.scale = snippet.scale;
    prefetch.distance = distance;
    prefetch.kind = static_cast<uint32_t>(kind);
    prefetch.target_base = formats::plan::no_register;
    prefetch.target_scale = 1;
    return prefetch;
}

/// The snippet's registers, with its operand `offset` bytes into the data's page.
Registers registers_for(const Snippet& snippet, const Data& data, size_t offset) {
    Registers registers = {};
    for (uint64_t i = 0; i < 16; ++i) {
        registers.general[i] = 0x0123456789abcdef * (i + 1);
    }
    registers.flags = 0x2 | (offset % 3 == 0 ? codegen::x86_64::status_flags : 0);
    registers.vector[0] = 0x3ff0000000000000;
    uint64_t operand = reinterpret_cast<uint64_t>(data.page()) + offset - snippet.displacement;
    if (snippet.index != formats::plan::no_register) {
        registers.general[snippet.index] = 5;
        operand -= 5 * snippet.scale;
    }
    registers.general[snippet.base] = operand;
    return registers;
}

Registers run(const void* code, const Snippet& snippet, Data& data, size_t offset) {
    data.fill();
    Registers registers = registers_for(snippet, data, offset);
    run_with_registers(&registers, code);
    return registers;
}

/// Runs both with the operand, of `bytes`, all over the page, up to both its ends.
void expect_same(const Snippet& snippet, const CodePage& patched, size_t bytes = 16) {
    Data data;
    for (size_t offset :
         {size_t{0}, size_t{1}, size_t{63}, size_t{512}, size_t{2048}, size_t{3500}, size_t{4000},
          size_t{4040}, tests::page_bytes - bytes - 1, tests::page_bytes - bytes}) {
        const Registers expected = run(snippet.start, snippet, data, offset);
        const std::string left = data.content();
        EXPECT_TRUE(run(patched.at(snippet.start), snippet, data, offset) == expected)
            << snippet.text << " at " << offset;
        EXPECT_EQ(data.content(), left) << snippet.text;
    }
}

Patched patch(CodePage& page, const Snippet& snippet, const PlanPrefetch& prefetch) {
    LoadSite site = page.site(snippet, prefetch);
    return codegen::x86_64::patch_loads(&site, 1);
}

class EveryKind : public testing::TestWithParam<std::tuple<PrefetchKind, int32_t>> {};

TEST_P(EveryKind, PatchedLoadsComputeTheSame) {
    const auto [kind, distance] = GetParam();
    size_t done = 0;
    for (const Snippet& snippet : tests::snippets()) {
        CodePage page(snippet);
        const PlanPrefetch prefetch = prefetch_for(snippet, kind, distance);
        const Patched patched = patch(page, snippet, prefetch);
        EXPECT_EQ(patched.problem, nullptr);
        done += patched.loads;
        EXPECT_EQ(patched.loads == 1, page.is_changed()) << snippet.text;
        expect_same(snippet, page);
    }
    EXPECT_EQ(done, tests::snippets().size());
}

INSTANTIATE_TEST_SUITE_P(Kinds, EveryKind,
                         testing::Values(std::tuple(PrefetchKind::temporal_0, 320),
                                         std::tuple(PrefetchKind::non_temporal, -320),
                                         std::tuple(PrefetchKind::indirect, 256),
                                         std::tuple(PrefetchKind::indirect, -64),
                                         std::tuple(PrefetchKind::indexed, 128)));

/// The address that the patched load prefetches: its prefetch is turned into `lea`, with the result in rcx.
uint64_t prefetched_address(const Snippet& snippet, const PlanPrefetch& prefetch, size_t offset) {
    CodePage page(snippet);
    EXPECT_EQ(patch(page, snippet, prefetch).loads, 1u);
    page.turn_prefetch_into_address();
    Data data;
    return run(page.at(snippet.start), snippet, data, offset).general[1];
}

TEST(LoadPatcher, PrefetchesTheAddressAtItsDistance) {
    for (const char* text : {"movq 24(%r12), %r10", "movq -24(%rbp), %rax", "movups 16(%rsi,%r9,8), %xmm0"}) {
        const Snippet snippet = tests::snippet_of(text);
        const uint64_t near =
            prefetched_address(snippet, prefetch_for(snippet, PrefetchKind::temporal_0, 0), 512);
        const uint64_t far =
            prefetched_address(snippet, prefetch_for(snippet, PrefetchKind::temporal_0, -4096), 512);
        EXPECT_EQ(near % 4096, 512u) << text;
        EXPECT_EQ(near % 4096, far % 4096) << text;
    }
}

TEST(LoadPatcher, PrefetchesWhatAPointerAheadPointsTo) {
    const Snippet snippet = tests::snippet_of("movslq 16(%r8,%r9,4), %r14");
    PlanPrefetch prefetch = prefetch_for(snippet, PrefetchKind::indirect, 256);
    prefetch.target_displacement = 40;
    const uint64_t word = Data::word_at(512 + 256);
    EXPECT_EQ(prefetched_address(snippet, prefetch, 512), word + 40);
    // On the next page: nothing is prefetched, rcx stays.
    EXPECT_EQ(prefetched_address(snippet, prefetch, 4000), 0x0123456789abcdef * 2);
    EXPECT_EQ(prefetched_address(snippet, prefetch, 4096 - 256 - 8), Data::word_at(4096 - 8) + 40);
    EXPECT_EQ(prefetched_address(snippet, prefetch, 4096 - 256 - 7), 0x0123456789abcdef * 2);
}

TEST(LoadPatcher, PrefetchesWhatAnIndexAheadMeansInAnotherArray) {
    const Snippet snippet = tests::snippet_of("movslq 16(%r8,%r9,4), %r14");
    PlanPrefetch prefetch = prefetch_for(snippet, PrefetchKind::indexed, -64);
    prefetch.target_base = 6;
    prefetch.target_scale = 8;
    prefetch.target_displacement = -16;
    const auto index = static_cast<int64_t>(static_cast<int32_t>(Data::word_at(512 - 64)));
    const uint64_t base = 0x0123456789abcdef * 7;
    EXPECT_EQ(prefetched_address(snippet, prefetch, 512), base + static_cast<uint64_t>(index) * 8 - 16);
    EXPECT_EQ(prefetched_address(snippet, prefetch, 63), 0x0123456789abcdef * 2);
}

TEST(LoadPatcher, LoadsSideBySideAreAllPatched) {
    // Each one's jump shares bytes with the next one's.
    const Snippet first =
        tests::snippet_of("movq (%rdi), %rax; movq 8(%rdi), %rdx; movq 16(%rdi), %rsi; movq 24(%rdi), %r8");
    ASSERT_NE(first.start, nullptr);
    CodePage page(first);
    std::vector<PlanPrefetch> prefetches;
    std::vector<LoadSite> sites;
    prefetches.reserve(4);
    const int32_t displacements[] = {0, 8, 16, 24};
    const unsigned lengths[] = {3, 4, 4, 4};
    uintptr_t place = 0;
    for (int i = 0; i < 4; ++i) {
        Snippet load = first;
        load.displacement = displacements[i];
        prefetches.push_back(prefetch_for(load, PrefetchKind::temporal_0, 640));
        sites.push_back(page.site(first, prefetches.back()));
        sites.back().address += place;
        place += lengths[i];
    }
    EXPECT_EQ(codegen::x86_64::patch_loads(sites.data(), sites.size()).loads, 4u);
    expect_same(first, page, 32);
}

TEST(LoadPatcher, WhoJumpsBehindAShortLoadFindsTheOldInstruction) {
    for (const Snippet& snippet : tests::snippets()) {
        CodePage page(snippet);
        const PlanPrefetch prefetch = prefetch_for(snippet, PrefetchKind::temporal_0, 64);
        LoadSite site = page.site(snippet, prefetch);
        codegen::x86_64::patch_loads(&site, 1);
        const uintptr_t next = site.address + site.load.length;
        const unsigned char* original = snippet.load + site.load.length;
        EXPECT_EQ(memcmp(reinterpret_cast<const void*>(next), original, snippet.end - original), 0)
            << snippet.text;
    }
}

TEST(LoadPatcher, WhatIsNotTheLoadIsLeftAlone) {
    const Snippet snippet = tests::snippet_of("movq 320(%rsi), %rax");
    const PlanPrefetch good = prefetch_for(snippet, PrefetchKind::temporal_0, 64);
    const auto loads_with = [&](auto change) {
        CodePage page(snippet);
        PlanPrefetch prefetch = good;
        LoadSite site = page.site(snippet, prefetch);
        change(site, prefetch);
        const size_t loads = codegen::x86_64::patch_loads(&site, 1).loads;
        EXPECT_EQ(loads != 0, page.is_changed());
        return loads;
    };
    EXPECT_EQ(loads_with([](LoadSite&, PlanPrefetch&) {}), 1u);
    EXPECT_EQ(loads_with([](LoadSite& site, PlanPrefetch&) { site.address += 1; }), 0u) << "in its middle";
    EXPECT_EQ(loads_with([](LoadSite& site, PlanPrefetch&) { site.address = site.function; }), 0u)
        << "a store";
    EXPECT_EQ(loads_with([](LoadSite&, PlanPrefetch& prefetch) { prefetch.base = 7; }), 0u);
    EXPECT_EQ(loads_with([](LoadSite&, PlanPrefetch& prefetch) { prefetch.index = 1; }), 0u);
    EXPECT_EQ(loads_with([](LoadSite& site, PlanPrefetch&) { site.end = site.address + 9; }), 0u) << "cut";
    EXPECT_EQ(loads_with([](LoadSite& site, PlanPrefetch&) { site.function = site.address + 1; }), 0u);
}

TEST(LoadPatcher, OneLoadIsPatchedOnce) {
    const Snippet snippet = tests::snippet_of("movq 320(%rsi), %rax");
    CodePage page(snippet);
    const PlanPrefetch prefetch = prefetch_for(snippet, PrefetchKind::temporal_0, 64);
    LoadSite sites[] = {page.site(snippet, prefetch), page.site(snippet, prefetch)};
    EXPECT_EQ(codegen::x86_64::patch_loads(sites, 2).loads, 1u);
    expect_same(snippet, page);
}

void expect_left_alone(const char* text) {
    const Snippet snippet = tests::snippet_of(text);
    ASSERT_NE(snippet.start, nullptr) << text;
    CodePage page(snippet);
    EXPECT_EQ(patch(page, snippet, prefetch_for(snippet, PrefetchKind::temporal_0, 64)).loads, 0u) << text;
    EXPECT_FALSE(page.is_changed()) << text;
}

TEST(LoadPatcher, FormsThatAreNoLoadsAreRefused) {
    for (const char* text : {"jmp *(%rdi)", "call *8(%rdi)", "leaq 8(%rdi), %rax", "nopl 64(%rdi)",
                             "nopw 320(%rdi)", "prefetcht1 320(%rdi)", "vpmaskmovd 320(%rdi), %xmm0, %xmm1",
                             "vmovdqu32 320(%rdi), %xmm1{%k1}", "movq %rax, 8(%rdi)", "movq %fs:(%rdi), %rax",
                             "movl (%edi), %eax", "movq 8(%rsp), %rax", "lodsq", "cmpsb"}) {
        expect_left_alone(text);
    }
}

TEST(LoadPatcher, ShortLoadsBeforeWhatCannotStandElsewhereAreRefused) {
    for (const char* text : {"movl (%rsi), %ecx", "movl (%rsi), %edx"}) {
        expect_left_alone(text);
    }
}

TEST(LoadPatcher, DistancesThatNeverStayOnAPageAreRefused) {
    const Snippet snippet = tests::snippet_of("movq 320(%rsi), %rax");
    for (const int32_t distance : {4096, 4089, -4097, -1, -7}) {
        CodePage page(snippet);
        EXPECT_EQ(patch(page, snippet, prefetch_for(snippet, PrefetchKind::indirect, distance)).loads, 0u)
            << distance;
    }
}

TEST(LoadPatcher, OtherThreadsRunTheCodeMeanwhile) {
    const Snippet snippet = tests::snippet_of("movq 320(%rsi), %rax", 2);
    for (int round = 0; round < 20; ++round) {
        CodePage page(snippet);
        std::atomic<bool> goes_on = true;
        std::atomic<uint64_t> calls = 0;
        std::atomic<uint64_t> wrong = 0;
        uint64_t word = 4711;
        std::thread other([&] {
            using Load = uint64_t (*)(const void*, const void*);
            const auto load = std::bit_cast<Load>(page.at(snippet.load));
            while (goes_on) {
                wrong += load(nullptr, reinterpret_cast<const char*>(&word) - 320) != word;
                ++calls;
            }
        });
        while (calls < 1000) {
        }
        EXPECT_EQ(patch(page, snippet, prefetch_for(snippet, PrefetchKind::temporal_0, 64)).loads, 1u);
        const uint64_t before = calls;
        while (calls < before + 1000) {
        }
        goes_on = false;
        other.join();
        EXPECT_EQ(wrong, 0u);
    }
}

}  // namespace
}  // namespace malloom
