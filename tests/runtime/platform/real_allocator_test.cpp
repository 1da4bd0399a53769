#include "runtime/platform/real_allocator.h"

#include <errno.h>
#include <gtest/gtest.h>
#include <malloc.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

namespace malloom::platform {
namespace {

TEST(RealAllocator, IsTheNextOne) {
    real::resolve();
    void* object = real::allocate(100);
    ASSERT_NE(object, nullptr);
    EXPECT_EQ(real::usable_size(object), malloc_usable_size(object));
    // What it gives, the program's own free takes, and the other way round.
    free(object);
    real::deallocate(malloc(100));
}

TEST(RealAllocator, ZeroesAndChecksTheProduct) {
    auto* object = static_cast<unsigned char*>(real::allocate_zeroed(10, 100));
    ASSERT_NE(object, nullptr);
    for (int i = 0; i < 1000; ++i) ASSERT_EQ(object[i], 0);
    real::deallocate(object);
}

TEST(RealAllocator, Aligns) {
    for (const size_t alignment : {16, 64, 4096, 1 << 20}) {
        void* object = real::allocate_aligned(alignment, 24);
        ASSERT_NE(object, nullptr);
        EXPECT_EQ(reinterpret_cast<uintptr_t>(object) % alignment, 0u);
        EXPECT_GE(real::usable_size(object), 24u);
        real::deallocate(object);
    }
}

TEST(RealAllocator, KeepsWhatWasThereWhenItReallocates) {
    auto* object = static_cast<char*>(real::allocate(16));
    ASSERT_NE(object, nullptr);
    strcpy(object, "fifteen letters");
    object = static_cast<char*>(real::reallocate(object, 100'000));
    ASSERT_NE(object, nullptr);
    EXPECT_STREQ(object, "fifteen letters");
    real::deallocate(object);
}

TEST(RealAllocator, TakesNull) {
    real::deallocate(nullptr);
    EXPECT_EQ(real::usable_size(nullptr), 0u);
    void* object = real::reallocate(nullptr, 10);
    EXPECT_NE(object, nullptr);
    real::deallocate(object);
}

}  // namespace
}  // namespace malloom::platform
