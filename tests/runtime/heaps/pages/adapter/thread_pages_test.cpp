// What the page heap with an instance a thread does beside what thread_heaps_test.cpp asks of all such heaps.
#include "runtime/heaps/pages/adapter/thread_pages.h"

#include <gtest/gtest.h>
#include <unistd.h>

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

/// What another thread gives back wrongly is told at once, before anything is written there.
class WrongFreesOfOthers : public ThreadPagesTest {
  protected:
    static constexpr int unchanged = 7;

    WrongFreesOfOthers() {
        heap.on_misuse([](heaps::ThreadMisuse what, const void* wrong, bool was_deferred) {
            const bool is_right =
                !was_deferred && what == expected && *static_cast<const uint64_t*>(wrong) == before;
            _exit(is_right ? unchanged : unchanged + 1);
        });
    }

    void expect_refused(void* wrong, heaps::ThreadMisuse what) {
        expected = what;
        before = *static_cast<uint64_t*>(wrong);
        EXPECT_EXIT(heap.release(*other, wrong), testing::ExitedWithCode(unchanged), "");
        EXPECT_EXIT(heap.resize(*other, wrong, {90, 0}), testing::ExitedWithCode(unchanged), "");
        EXPECT_FALSE(self->has_deferred());
    }

    heaps::OwnedPages* other = heap.join();

  private:
    static inline heaps::ThreadMisuse expected;
    static inline uint64_t before;
};

TEST_F(WrongFreesOfOthers, ChangeNothing) {
    auto* const second = static_cast<char*>(heap.allocate(*self, {100, 0}));
    auto* const small = static_cast<char*>(heap.allocate(*self, {16, 0}));
    auto* const large = static_cast<char*>(heap.allocate(*self, {9000, 0}));
    heap.release(*self, second);
    using enum heaps::ThreadMisuse;
    expect_refused(object + 16, foreign);
    expect_refused(second, freed_before);
    expect_refused(large + 4096, foreign);
    expect_refused(small - (reinterpret_cast<uintptr_t>(small) & 4095), foreign);
    expect_refused(self->first_region(), foreign);
    heap.release(*self, large);
    expect_refused(large, freed_before);
}

}  // namespace
}  // namespace malloom::tests
