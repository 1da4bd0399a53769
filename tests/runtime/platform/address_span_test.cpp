#include "runtime/platform/address_span.h"

#include <gtest/gtest.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <fstream>
#include <string>
#include <vector>

#include "runtime/platform/memory.h"

namespace malloom::tests {
namespace {

using platform::AddressSpan;

constexpr size_t gibibyte = size_t{1} << 30;

size_t address_space() {
    size_t pages = 0;
    std::ifstream("/proc/self/statm") >> pages;
    return pages * platform::page_bytes();
}

char* at(uintptr_t address) {
    return reinterpret_cast<char*>(address);
}

// Not where its slots cannot be: ThreadSanitizer has a few ranges of addresses for programs.
void expect_little_more_than([[maybe_unused]] size_t before) {
#if !defined(__SANITIZE_THREAD__)
    EXPECT_LT(address_space() - before, size_t{64} << 20);
#endif
}

TEST(AddressSpan, NothingCountsBeforeItIsOpened) {
    const size_t before = address_space();
    AddressSpan span;
    ASSERT_TRUE(span.open(64 * gibibyte));
    expect_little_more_than(before);
    const uintptr_t first = span.take(32 * gibibyte, platform::huge_page_bytes);
    const uintptr_t second = span.take(gibibyte, platform::page_bytes());
    ASSERT_NE(first, 0U);
    EXPECT_EQ(first % platform::huge_page_bytes, 0U);
    EXPECT_GE(second, first + 32 * gibibyte);
    for (const uintptr_t start : {first, second}) {
        ASSERT_TRUE(span.open_pages(start, 3 * platform::page_bytes()));
        EXPECT_EQ(*at(start), 0);
        memset(at(start), 1, 3 * platform::page_bytes());
    }
    expect_little_more_than(before);
    for (const uintptr_t start : {first, second}) {
        span.close_pages(start, 3 * platform::page_bytes());
    }
    span.give_back(first, second + gibibyte);
    span.close();
    EXPECT_FALSE(span.is_open());
    EXPECT_LE(address_space(), before + (size_t{1} << 20));
}

TEST(AddressSpan, IsTakenToItsEndAndNoFurther) {
    AddressSpan span;
    ASSERT_TRUE(span.open(gibibyte));
    EXPECT_EQ(span.take(SIZE_MAX, 1), 0U);
    EXPECT_EQ(span.take(size_t{1} << 46, platform::page_bytes()), 0U);
    const uintptr_t all = span.take(gibibyte, platform::page_bytes());
    EXPECT_NE(all, 0U);
    span.give_back(all, all + gibibyte);
    span.close();
}

TEST(AddressSpan, NoTwoHaveTheSameAddresses) {
    std::vector<AddressSpan> spans(5);
    std::vector<uintptr_t> starts;
    constexpr size_t bytes = 8 * gibibyte;
    for (AddressSpan& span : spans) {
        ASSERT_TRUE(span.open(bytes));
        const uintptr_t start = span.take(bytes, platform::page_bytes());
        for (const uintptr_t other : starts) {
            EXPECT_TRUE(start + bytes <= other || other + bytes <= start);
        }
        starts.push_back(start);
    }
    for (size_t i = 0; i < spans.size(); ++i) {
        spans[i].give_back(starts[i], starts[i] + bytes);
        spans[i].close();
    }
}

#if !defined(__SANITIZE_THREAD__)
TEST(AddressSpan, OthersThereAreNotOverwritten) {
    AddressSpan span;
    ASSERT_TRUE(span.open(gibibyte));
    const size_t page = platform::page_bytes();
    const uintptr_t start = span.take(gibibyte, page);
    ASSERT_TRUE(span.open_pages(start, page));
    void* other = mmap(at(start + 2 * page), page, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
    ASSERT_EQ(other, at(start + 2 * page));
    *at(start + 2 * page) = 7;
    EXPECT_FALSE(span.open_pages(start + page, 4 * page));
    EXPECT_EQ(*at(start + 2 * page), 7);
    EXPECT_TRUE(span.open_pages(start + page, page)) << "as far as nobody is there";
    munmap(other, page);
    span.close_pages(start, 2 * page);
    span.close();
}
#endif

// Whoever leaves memory there keeps its addresses from the next.
TEST(AddressSpan, WhatIsLeftStays) {
    AddressSpan span;
    ASSERT_TRUE(span.open(gibibyte));
    const size_t page = platform::page_bytes();
    const uintptr_t start = span.take(gibibyte, page);
    ASSERT_TRUE(span.open_pages(start, page));
    *at(start) = 7;
    span.give_back(start + page, start + gibibyte);
    span.leave();
    AddressSpan next;
    ASSERT_TRUE(next.open(gibibyte));
    const uintptr_t start_of_next = next.take(gibibyte, page);
    EXPECT_TRUE(start_of_next >= start + page || start_of_next + gibibyte <= start);
    EXPECT_EQ(*at(start), 7);
    next.give_back(start_of_next, start_of_next + gibibyte);
    next.close();
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)  // whose shadows need more than any limit
TEST(AddressSpan, ALimitLeavesRoomForAll) {
    const auto open_under_limit = [] {
        const rlimit limit = {gibibyte, gibibyte};
        AddressSpan first, second;
        if (setrlimit(RLIMIT_AS, &limit) != 0 || !first.open(gibibyte) || !second.open(gibibyte)) {
            return false;
        }
        constexpr size_t most = gibibyte / 10 * 9;
        const uintptr_t start = first.take(gibibyte, platform::page_bytes());
        const uintptr_t other = second.take(gibibyte, platform::page_bytes());
        return first.open_pages(start, most) && !second.open_pages(other, most) &&
               second.open_pages(other, most / 20);
    };
    EXPECT_EXIT(_exit(open_under_limit() ? 0 : 1), testing::ExitedWithCode(0), "");
}
#endif

}  // namespace
}  // namespace malloom::tests
