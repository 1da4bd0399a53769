// What the page heap with an instance a thread does beside what thread_heaps_test.cpp asks of all such heaps.
#include "runtime/heaps/pages/adapter/thread_pages.h"

#include <gtest/gtest.h>

#include <thread>

#include "runtime/platform/memory.h"

namespace malloom::tests {
namespace {

class ThreadPagesTest : public testing::Test {
  protected:
    ThreadPagesTest() : region_(platform::reserve_addresses(region_bytes, platform::page_bytes())) {
        EXPECT_TRUE(heap.open(region_, region_bytes));
        self = heap.join();
        EXPECT_NE(self, nullptr);
        object = static_cast<char*>(heap.allocate(*self, {100, 0}));
    }
    ~ThreadPagesTest() override { platform::unmap_pages(region_, region_bytes); }

  private:
    static constexpr size_t region_bytes = size_t{256} << 20;
    void* region_;

  protected:
    heaps::ThreadPages heap;
    heaps::OwnedPages* self;
    char* object;
};

TEST_F(ThreadPagesTest, OneCallTakesAllThatOthersFreed) {
    heaps::OwnedPages& other = *heap.join();
    void* const second = heap.allocate(*self, {100, 0});
    std::thread([&] {
        heap.release(other, object);
        heap.release(other, second);
    }).join();
    EXPECT_TRUE(self->has_deferred());
    EXPECT_EQ(heap.allocate(*self, {100, 0}), object);
    EXPECT_FALSE(self->has_deferred());
    EXPECT_EQ(heap.allocate(*self, {100, 0}), second);
}

using ThreadPagesDeathTest = ThreadPagesTest;

TEST_F(ThreadPagesDeathTest, ResizingWhatIsNoObjectIsRefused) {
    EXPECT_DEATH(heap.resize(*self, object + 16, {50, 0}), "where no object begins");
    heap.release(*self, object);
    EXPECT_DEATH(heap.resize(*self, object, {50, 0}), "freed before");
}

}  // namespace
}  // namespace malloom::tests
