// What the bin heap with an instance a thread does beside what thread_heaps_test.cpp asks of all such heaps:
// an object grows and shrinks where it is.
#include "runtime/heaps/bins/adapter/thread_bins.h"

#include <gtest/gtest.h>

#include "runtime/platform/memory.h"

namespace malloom::tests {
namespace {

class ThreadBinsTest : public testing::Test {
  protected:
    ThreadBinsTest() : region_(platform::reserve_addresses(region_bytes, platform::page_bytes())) {
        EXPECT_TRUE(heap.open(region_, region_bytes));
        self = heap.join();
        EXPECT_NE(self, nullptr);
        object = heap.allocate(*self, {100, 0});
    }
    ~ThreadBinsTest() override { platform::unmap_pages(region_, region_bytes); }

  private:
    static constexpr size_t region_bytes = size_t{256} << 20;
    void* region_;

  protected:
    heaps::ThreadBins heap;
    heaps::OwnedBins* self;
    void* object;
};

TEST_F(ThreadBinsTest, ObjectsGrowWhereTheyAreIfTheyAreTheirOwners) {
    heaps::OwnedBins& other = *heap.join();
    EXPECT_FALSE(heap.resize(other, object, {200, 0}));
    EXPECT_TRUE(heap.resize(*self, object, {200, 0}));
    EXPECT_GE(heap.usable_size(object), 200u);
    EXPECT_TRUE(heap.resize(other, object, {150, 0}));
    EXPECT_GE(heap.usable_size(object), 200u) << "another thread takes nothing of it";
    EXPECT_TRUE(heap.resize(*self, object, {10, 0}));
    EXPECT_LT(heap.usable_size(object), 64u);
    EXPECT_EQ(malloom_bins_check(&self->bins), MALLOOM_BINS_OK);
}

TEST_F(ThreadBinsTest, WhoInterruptsAnInstanceDoesNotGrow) {
    self->is_busy = true;
    EXPECT_TRUE(heap.resize(*self, object, {90, 0}));
    EXPECT_FALSE(heap.resize(*self, object, {200, 0})) << "there is room behind it";
    self->is_busy = false;
    EXPECT_TRUE(heap.resize(*self, object, {200, 0}));
}

}  // namespace
}  // namespace malloom::tests
