// Which pages of an arena are resident and idle, by the chunks that are out.
#include "runtime/heaps/pools/pages.h"

#include <gtest/gtest.h>

#include <vector>

#include "runtime/platform/memory.h"

namespace malloom::tests {
namespace {

using heaps::Pool;

constexpr unsigned range_order = heaps::pool_orders - 1;

class PoolPagesTest : public testing::Test {
  protected:
    PoolPagesTest() {
        begin_ = reinterpret_cast<uintptr_t>(platform::reserve_pages(bytes_, bytes_));
        EXPECT_TRUE(span_.open(bytes_));
        EXPECT_TRUE(pages_.open(span_, begin_, bytes_));
        EXPECT_TRUE(pages_.reach(bytes_));
        pool_.start = begin_;
        pool_.order = static_cast<uint8_t>(range_order);
    }
    ~PoolPagesTest() override {
        pages_.close();
        span_.close();
        platform::unmap_pages(reinterpret_cast<void*>(begin_), bytes_);
    }

    void have_chunks_of(size_t bytes) {
        pool_.chunk_bytes = static_cast<uint32_t>(bytes);
        pool_.capacity = static_cast<uint32_t>(bytes_ / bytes);
        pool_.span = uint64_t{pool_.capacity} * bytes;
        pool_.reciprocal = heaps::reciprocal_of(static_cast<uint32_t>(bytes / heaps::granule_bytes));
    }
    void leave(const std::vector<uint32_t>& numbers) {
        std::vector<uint64_t> chunks;
        for (const uint32_t number : numbers) {
            chunks.push_back(heaps::chunk_at(pool_, number));
        }
        pages_.leave(pool_, chunks.data(), static_cast<uint32_t>(chunks.size()));
    }
    uint32_t resident() const { return pages_.resident(begin_, begin_ + bytes_); }

    const size_t bytes_ = heaps::range_bytes(range_order);
    const size_t page_ = platform::page_bytes();
    uintptr_t begin_;
    Pool pool_ = {};
    platform::AddressSpan span_;
    heaps::PoolPages pages_;
};

TEST_F(PoolPagesTest, PageIsIdleWhenItsLastChunkIsLeft) {
    have_chunks_of(page_ / 2);
    pages_.occupy(pool_, 0, 2);
    EXPECT_EQ(resident(), 1u);
    leave({0});
    EXPECT_EQ(pages_.idle_bytes(), 0u);
    leave({1});
    EXPECT_EQ(pages_.idle_bytes(), page_);
    EXPECT_EQ(pool_.idle_pages, 1u);
    pages_.occupy(pool_, 0, 1);
    EXPECT_EQ(pages_.idle_bytes(), 0u);
}

TEST_F(PoolPagesTest, WhatIsNeededAgainIsCounted) {
    have_chunks_of(page_);
    pages_.occupy(pool_, 0, 2);
    EXPECT_EQ(pages_.needed_again(), 0u) << "it was never given back";
    pool_.touched = static_cast<uint32_t>(2 * page_);
    leave({1, 0});
    EXPECT_TRUE(pages_.discard_idle(pool_));
    EXPECT_EQ(pages_.given_back(), 2 * page_);
    pages_.occupy(pool_, 1, 2);
    EXPECT_EQ(pages_.needed_again(), page_) << "the third page is new";
}

TEST_F(PoolPagesTest, ChunkAcrossABorderKeepsBothPages) {
    have_chunks_of(page_ / 4 * 3);
    pages_.occupy(pool_, 0, 4);
    EXPECT_EQ(resident(), 3u);
    leave({0, 2, 3});
    EXPECT_EQ(pages_.idle_bytes(), page_) << "the second chunk lies on the first two";
    EXPECT_TRUE(pages_.discard_idle(pool_));
    EXPECT_EQ(resident(), 2u);
    EXPECT_EQ(pages_.idle_bytes(), 0u);
    EXPECT_FALSE(pages_.discard_idle(pool_));
}

TEST_F(PoolPagesTest, ChunkOfManyPagesKeepsThemAll) {
    have_chunks_of(page_ * 5 / 2);
    pages_.occupy(pool_, 0, 2);
    EXPECT_EQ(resident(), 5u);
    leave({1});
    EXPECT_EQ(pages_.idle_bytes(), 2 * page_) << "the third page is the first chunk's too";
    leave({0});
    EXPECT_EQ(pages_.idle_bytes(), 5 * page_);
    EXPECT_EQ(pool_.idle_pages, 5u);
}

TEST_F(PoolPagesTest, PartIsPopulatedAheadOfWhatIsCarved) {
    have_chunks_of(page_);
    const uintptr_t end = heaps::chunk_at(pool_, 1);
    ASSERT_TRUE(pages_.needs_part(pool_, end));
    pages_.populate(pool_, end);
    EXPECT_EQ(pages_.idle_bytes(), page_ + heaps::PoolPages::part_bytes(pool_));
    EXPECT_FALSE(pages_.needs_part(pool_, end));
}

TEST_F(PoolPagesTest, ForkedChildCountsAnew) {
    have_chunks_of(page_);
    pages_.occupy(pool_, 0, 3);
    pages_.clear(pool_);
    pages_.occupy(pool_, 0, 1);
    pages_.begin_recount();
    pages_.recount(pool_);
    EXPECT_EQ(pages_.idle_bytes(), 2 * page_);
    pages_.pin(pool_);
    pages_.begin_recount();
    pages_.recount(pool_);
    EXPECT_EQ(pages_.idle_bytes(), 0u);
}

}  // namespace
}  // namespace malloom::tests
