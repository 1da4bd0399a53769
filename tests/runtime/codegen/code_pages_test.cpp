#include "runtime/codegen/code_pages.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/prctl.h>

#include <bit>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <string>
#include <vector>

#include "runtime/platform/memory.h"

namespace malloom {
namespace {

using codegen::CodePages;
using codegen::Reach;
using codegen::write_code;

// Far from all that the system places by itself.
constexpr uintptr_t nowhere = 0x7ea000000000;

size_t page() {
    return platform::page_bytes();
}

uintptr_t address_of(const void* place) {
    return reinterpret_cast<uintptr_t>(place);
}

/// What /proc/self/maps says of the page: "r-xp"; empty where nothing is mapped.
std::string protection_of(const void* place) {
    std::ifstream maps("/proc/self/maps");
    for (std::string line; std::getline(maps, line);) {
        unsigned long start = 0;
        unsigned long end = 0;
        char protection[5] = "";
        if (std::sscanf(line.c_str(), "%lx-%lx %4s", &start, &end, protection) == 3 &&
            address_of(place) >= start && address_of(place) < end) {
            return protection;
        }
    }
    return "";
}

// As the compiler makes them: whatever the instruction set, they run where they are copied to.
#define PLAIN __attribute__((noinline, noclone, no_sanitize("address", "thread", "undefined")))
PLAIN int answer() {
    return 42;
}
PLAIN int other_answer() {
    return 43;
}
using Answer = int (*)();
constexpr size_t answer_bytes = 32;  // both end well before

void copy_code(Answer code, void* place) {
    memcpy(place, std::bit_cast<const void*>(code), answer_bytes);
}

int call(const void* place) {
    return std::bit_cast<Answer>(place)();
}

/// Pages that give themselves back.
struct Pages : CodePages {
    ~Pages() { release(); }
};

TEST(CodePages, CodeRunsOnceItsPageIsSealed) {
    Pages pages;
    unsigned char* code = pages.place({nowhere, nowhere + page(), {}}, answer_bytes);
    ASSERT_NE(code, nullptr);
    EXPECT_EQ(protection_of(code), "rw-p");
    copy_code(answer, code);
    ASSERT_TRUE(pages.seal());
    EXPECT_EQ(protection_of(code), "r-xp");
    EXPECT_EQ(call(code), 42);
}

TEST(CodePages, CodeOfOneReachSharesAPage) {
    Pages pages;
    const Reach reach = {nowhere, nowhere + page(), {}};
    EXPECT_EQ(address_of(pages.place(reach, 100)), nowhere);
    EXPECT_EQ(address_of(pages.place(reach, 50)), nowhere + 100);
    EXPECT_EQ(pages.pages(), 1u);
    EXPECT_EQ(address_of(pages.place(reach, page() - 50)), nowhere + page()) << "where it has room";
    EXPECT_EQ(pages.pages(), 2u);
}

TEST(CodePages, CodeBeginsWithinItsReachAndMayEndBehindIt) {
    Pages pages;
    const uintptr_t last = nowhere + page() - 1;
    EXPECT_EQ(address_of(pages.place({last, last, {}}, 20)), last);
    EXPECT_EQ(pages.pages(), 2u);
    EXPECT_EQ(pages.place({last, last, {}}, 20), nullptr) << "it is taken";
}

TEST(CodePages, NothingIsPlacedOverWhatIsMapped) {
    Pages pages;
    void* taken =
        mmap(reinterpret_cast<void*>(nowhere), 2 * page(), PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ASSERT_EQ(address_of(taken), nowhere);
    errno = 0;
    EXPECT_EQ(pages.place({nowhere, nowhere + page(), {}}, 10), nullptr);
    EXPECT_EQ(errno, 0);
    EXPECT_EQ(address_of(pages.place({nowhere, nowhere + 2 * page(), {}}, 10)), nowhere + 2 * page());
    munmap(taken, 2 * page());
}

TEST(CodePages, NothingIsPlacedWhereNullPointersTheBreakOrTheStackMayLead) {
    Pages pages;
    EXPECT_EQ(pages.place({0, page(), {}}, 10), nullptr);
    const uintptr_t stack = address_of(__builtin_frame_address(0));
    EXPECT_EQ(pages.place({stack - (uintptr_t{1} << 29), stack, {}}, 10), nullptr);
    const uintptr_t heap_end = address_of(sbrk(0));
    EXPECT_EQ(pages.place({heap_end, heap_end + (uintptr_t{32} << 20), {}}, 10), nullptr);
}

TEST(CodePages, AliasesAreAvoided) {
    Pages pages;
    constexpr uintptr_t span = uintptr_t{1} << 24;
    const codegen::Aliases avoided = {nowhere + 7 * span + 600, span, 512};
    EXPECT_EQ(address_of(pages.place({nowhere, nowhere, avoided}, 10)), nowhere);
    EXPECT_EQ(pages.place({nowhere + 88, nowhere + 1111, avoided}, 10), nullptr);
    EXPECT_EQ(address_of(pages.place({nowhere + 88, nowhere + 1112, avoided}, 10)), nowhere + 1112);
}

TEST(CodePages, CodeAfterASealHasAPageOfItsOwn) {
    Pages pages;
    const Reach reach = {nowhere, nowhere + page(), {}};
    const unsigned char* first = pages.place(reach, 10);
    ASSERT_TRUE(pages.seal());
    unsigned char* second = pages.place(reach, answer_bytes);
    ASSERT_EQ(address_of(second), nowhere + page());
    copy_code(answer, second);
    ASSERT_TRUE(pages.seal());
    EXPECT_EQ(protection_of(first), "r-xp");
    EXPECT_EQ(call(second), 42);
}

TEST(CodePages, MemoryIsBounded) {
    Pages pages;
    size_t placed = 0;
    for (uintptr_t i = 0; i < 300; ++i) {
        const uintptr_t only = nowhere + 2 * i * page();
        placed += pages.place({only, only, {}}, 1) != nullptr;
    }
    EXPECT_EQ(placed, 256u);
    EXPECT_EQ(pages.pages(), 256u);
}

TEST(CodePages, ReleasedPagesAreGone) {
    CodePages pages;
    const unsigned char* code = pages.place({nowhere, nowhere, {}}, 10);
    ASSERT_NE(code, nullptr);
    pages.release();
    EXPECT_EQ(protection_of(code), "");
    EXPECT_EQ(pages.pages(), 0u);
}

TEST(WriteCode, ChangesSealedCode) {
    Pages pages;
    unsigned char* code = pages.place({nowhere, nowhere, {}}, answer_bytes);
    copy_code(answer, code);
    ASSERT_TRUE(pages.seal());
    unsigned char bytes[answer_bytes];
    copy_code(other_answer, bytes);
    ASSERT_TRUE(write_code(address_of(code), bytes, sizeof bytes, PROT_READ | PROT_EXEC));
    EXPECT_EQ(call(code), 43);
    EXPECT_EQ(protection_of(code), "r-xp");
}

TEST(WriteCode, KeepsWhatIsAroundItOnBothPages) {
    Pages pages;
    unsigned char* first = pages.place({nowhere, nowhere, {}}, page());
    unsigned char* second = pages.place({nowhere + page(), nowhere + page(), {}}, page());
    ASSERT_EQ(second, first + page());
    memset(first, 1, 2 * page());
    ASSERT_TRUE(pages.seal());
    const unsigned char bytes[] = {2, 2, 2, 2};
    ASSERT_TRUE(write_code(address_of(second) - 1, bytes, sizeof bytes, PROT_READ | PROT_EXEC));
    std::string expected(2 * page(), 1);
    expected.replace(page() - 1, 4, 4, 2);
    EXPECT_EQ(std::string(reinterpret_cast<const char*>(first), 2 * page()), expected);
}

/// The exit status of a child whom the system refuses executable pages that were written: 0 where all stayed.
void change_where_it_is_refused(unsigned char* code) {
    constexpr int deny_write_execute = 65;  // PR_SET_MDWE, from Linux 6.3 on
    const unsigned char before = *code;
    const unsigned char byte = before + 1;
    const bool is_denied = prctl(deny_write_execute, 1, 0, 0, 0) == 0;
    errno = 0;
    const bool is_written = write_code(address_of(code), &byte, 1, PROT_READ | PROT_EXEC);
    _exit(is_denied && !is_written && *code == before && errno == 0 && protection_of(code) == "r-xp" ? 0 : 1);
}

TEST(WriteCode, WhereTheSystemRefusesAllIsAsItWas) {
    Pages pages;
    unsigned char* code = pages.place({nowhere, nowhere, {}}, 10);
    ASSERT_TRUE(pages.seal());
    EXPECT_EXIT(change_where_it_is_refused(code), testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace malloom
