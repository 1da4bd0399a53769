#include "runtime/platform/memory.h"

#include <gtest/gtest.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <thread>
#include <vector>

namespace malloom::platform {
namespace {

// Resident pages of a range.
size_t resident(void* start, size_t bytes) {
    std::vector<unsigned char> pages(bytes / page_bytes());
    EXPECT_EQ(mincore(start, bytes, pages.data()), 0);
    size_t count = 0;
    for (const unsigned char page : pages) count += page & 1;
    return count;
}

TEST(Memory, RoundsToPowersOfTwo) {
    EXPECT_EQ(round_up(0, 4096), 0u);
    EXPECT_EQ(round_up(1, 4096), 4096u);
    EXPECT_EQ(round_up(4096, 4096), 4096u);
    EXPECT_EQ(round_down(4095, 4096), 0u);
    EXPECT_EQ(round_up(SIZE_MAX, 4096), 0u);
    EXPECT_TRUE(is_power_of_two(1) && is_power_of_two(size_t{1} << 63));
    EXPECT_FALSE(is_power_of_two(0) || is_power_of_two(12));
    EXPECT_EQ(page_bytes(), static_cast<size_t>(sysconf(_SC_PAGESIZE)));
}

TEST(Memory, OpensReservedAddresses) {
    const size_t bytes = 4 * page_bytes();
    auto* start = static_cast<unsigned char*>(reserve_addresses(bytes, bytes));
    ASSERT_NE(start, nullptr);
    errno = 77;
    ASSERT_TRUE(open_pages(start + page_bytes(), page_bytes()));
    EXPECT_EQ(errno, 77);
    EXPECT_EQ(start[page_bytes()], 0);
    memset(start + page_bytes(), 1, page_bytes());
    unmap_pages(start, bytes);
    EXPECT_FALSE(open_pages(start, bytes)) << "nothing is reserved there any more";
    EXPECT_EQ(errno, 77);
}

TEST(Memory, MapsZeroedPages) {
    auto* bytes = static_cast<unsigned char*>(map_pages(1));
    ASSERT_NE(bytes, nullptr);
    for (size_t i = 0; i < page_bytes(); ++i) ASSERT_EQ(bytes[i], 0);
    memset(bytes, 1, page_bytes());
    unmap_pages(bytes, 1);
    EXPECT_EQ(msync(bytes, page_bytes(), MS_ASYNC), -1) << "it is still mapped";
}

TEST(Memory, RefusesWhatCannotBe) {
    EXPECT_EQ(map_pages(SIZE_MAX), nullptr);
    EXPECT_EQ(map_pages(size_t{1} << 60), nullptr);
    EXPECT_EQ(reserve_pages(SIZE_MAX - 8192, huge_page_bytes), nullptr);
    EXPECT_EQ(reserve_pages(size_t{1} << 60, huge_page_bytes), nullptr);
}

TEST(Memory, ReservesAlignedAddressesAndNothingAround) {
    for (const size_t alignment : {page_bytes(), huge_page_bytes, size_t{64} << 20}) {
        const size_t bytes = 3 * page_bytes();
        auto* start = static_cast<unsigned char*>(reserve_pages(bytes, alignment));
        ASSERT_NE(start, nullptr);
        EXPECT_EQ(reinterpret_cast<uintptr_t>(start) % alignment, 0u);
        EXPECT_EQ(resident(start, bytes), 0u);
        start[0] = start[bytes - 1] = 1;
        EXPECT_EQ(resident(start, bytes), 2u);
        unmap_pages(start, bytes);
    }
}

TEST(Memory, AddressesAloneTakeNoMemory) {
    void* start = reserve_addresses(size_t{1} << 30, huge_page_bytes);
    ASSERT_NE(start, nullptr);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(start) % huge_page_bytes, 0u);
    EXPECT_EQ(resident(start, huge_page_bytes), 0u);
    unmap_pages(start, size_t{1} << 30);
}

TEST(Memory, DiscardedPagesReadAsZero) {
    auto* start = static_cast<unsigned char*>(map_pages(2 * page_bytes()));
    memset(start, 7, 2 * page_bytes());
    errno = EDOM;
    discard_pages(start, page_bytes());
    EXPECT_EQ(errno, EDOM);
    EXPECT_EQ(start[0], 0);
    EXPECT_EQ(start[page_bytes()], 7);
    unmap_pages(start, 2 * page_bytes());
}

TEST(Memory, PopulatedPagesAreResident) {
    const size_t bytes = 16 * page_bytes();
    void* start = reserve_pages(bytes, page_bytes());
    errno = EDOM;
    if (populate_pages(start, bytes)) {
        EXPECT_EQ(resident(start, bytes), 16u);
    }
    EXPECT_TRUE(populate_pages(start, 0));
    EXPECT_EQ(errno, EDOM);
    unmap_pages(start, bytes);
}

TEST(Memory, GatheredPagesKeepWhatTheyHold) {
    constexpr size_t bytes = huge_page_bytes;
    auto* start = static_cast<unsigned char*>(reserve_pages(bytes, bytes));
    ASSERT_NE(start, nullptr);
    memset(start, 1, bytes);
    gather_huge_page(start);
    EXPECT_EQ(std::count(start, start + bytes, 1), static_cast<ptrdiff_t>(bytes));
    unmap_pages(start, bytes);
    EXPECT_FALSE(gather_huge_page(start)) << "nothing is there";
}

TEST(Memory, WhatIsDiscardedOfAHugePageComesBackAsSmallPages) {
    constexpr size_t bytes = huge_page_bytes;
    auto* start = static_cast<unsigned char*>(reserve_pages(bytes, bytes));
    ASSERT_NE(start, nullptr);
    refuse_huge_pages(start, bytes);
    ASSERT_TRUE(make_huge_page(start));
    EXPECT_EQ(resident(start, bytes), bytes / page_bytes());
    EXPECT_EQ(std::count(start, start + bytes, 0), static_cast<ptrdiff_t>(bytes));
    discard_pages(start, bytes);
    start[0] = 1;
    EXPECT_EQ(resident(start, bytes), 1u);
    unmap_pages(start, bytes);
}

TEST(Memory, PeakGrowsByWhatIsTouched) {
    const size_t before = peak_resident_bytes();
    EXPECT_GT(before, size_t{1} << 20);
    const size_t bytes = size_t{64} << 20;
    void* start = map_pages(bytes);
    memset(start, 1, bytes);
    unmap_pages(start, bytes);
    EXPECT_GE(peak_resident_bytes() + (size_t{1} << 20), bytes);
    EXPECT_GE(peak_resident_bytes(), before);
}

// Requests for memory ask this while something is locked: a thread that is to be cancelled must come through.
TEST(Memory, QuestionsToTheSystemAreNoCancellationPoints) {
    bool has_come_through = false;
    std::thread([&] {
        pthread_cancel(pthread_self());
        huge_pages_are_allowed();
        resident_bytes();
        peak_resident_bytes();
        has_come_through = true;
    }).join();
    EXPECT_TRUE(has_come_through);
}

}  // namespace
}  // namespace malloom::platform
