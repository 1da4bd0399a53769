// What the C library promises of malloc and its kin.
#include <dlfcn.h>
#include <errno.h>
#include <gtest/gtest.h>
#include <malloc.h>
#include <unistd.h>

#include <algorithm>
#include <random>
#include <vector>

#include "tests/runtime/front/malloc_conformance/opaque.h"

namespace malloom::tests {
namespace {

constexpr size_t largest_shift = 22;

size_t page() {
    return static_cast<size_t>(sysconf(_SC_PAGESIZE));
}

TEST(MallocConformance, ZeroBytesGiveDistinctObjects) {
    void* objects[] = {malloc(opaque(0)), malloc(opaque(0)), calloc(opaque(0), 8), calloc(8, opaque(0)),
                       realloc(nullptr, opaque(0))};
    for (void* object : objects) {
        ASSERT_NE(object, nullptr);
        EXPECT_EQ(std::count(std::begin(objects), std::end(objects), object), 1);
    }
    for (void* object : objects) {
        free(object);
    }
}

TEST(MallocConformance, EverySizeIsUsableAndAligned) {
    std::vector<std::pair<void*, size_t>> objects;
    for (size_t bytes = 1; bytes < (size_t{20} << 20); bytes += 1 + bytes / 8) {
        void* object = malloc(opaque(bytes));
        ASSERT_NE(object, nullptr);
        EXPECT_TRUE(is_aligned(object, alignof(max_align_t))) << bytes;
        EXPECT_GE(malloc_usable_size(object), bytes);
        memset(object, static_cast<int>(bytes % 251), bytes < 8192 ? malloc_usable_size(object) : 8192);
        objects.emplace_back(object, bytes);
    }
    for (const auto& [object, bytes] : objects) {
        EXPECT_TRUE(holds(object, static_cast<unsigned char>(bytes % 251), std::min(bytes, size_t{8192})));
        free(object);
    }
}

TEST(MallocConformance, ObjectsNeverOverlap) {
    struct Object {
        unsigned char* start = nullptr;
        size_t bytes = 0;
        unsigned char mark = 0;
    };
    std::vector<Object> objects(300);
    std::mt19937 random(1);
    for (int step = 0; step < 30000; ++step) {
        Object& object = objects[random() % objects.size()];
        ASSERT_TRUE(holds(object.start, object.mark, object.bytes)) << step;
        const size_t bytes = random() % 100 == 0 ? random() % 100000 : random() % 600;
        if (random() % 3 == 0) {
            object.start = static_cast<unsigned char*>(realloc(object.start, bytes + 1));
            ASSERT_TRUE(holds(object.start, object.mark, std::min(object.bytes, bytes + 1))) << step;
        } else {
            free(object.start);
            object.start = static_cast<unsigned char*>(malloc(bytes + 1));
        }
        object.bytes = bytes + 1;
        object.mark = static_cast<unsigned char>(random());
        memset(object.start, object.mark, object.bytes);
    }
    for (const Object& object : objects) {
        free(object.start);
    }
}

TEST(MallocConformance, CallocGivesZeroesAlsoWhereMemoryIsUsedAgain) {
    for (int round = 0; round < 30; ++round) {
        for (size_t bytes : {1, 16, 100, 496, 5000, 200000}) {
            void* object = calloc(opaque(bytes), 3);
            ASSERT_TRUE(holds(object, 0, 3 * bytes)) << bytes;
            memset(object, 0xff, 3 * bytes);
            free(object);
        }
    }
}

TEST(MallocConformance, ProductsThatOverflowAreRefused) {
    const size_t counts[][2] = {{SIZE_MAX / 2, 3}, {3, SIZE_MAX / 2}, {size_t{1} << 32, size_t{1} << 32}};
    void* object = malloc(100);
    memset(object, 7, 100);
    for (const auto& [count, bytes] : counts) {
        errno = 0;
        EXPECT_EQ(calloc(opaque(count), opaque(bytes)), nullptr);
        EXPECT_EQ(errno, ENOMEM);
        errno = 0;
        EXPECT_EQ(reallocarray(opaque(object), opaque(count), opaque(bytes)), nullptr);
        EXPECT_EQ(errno, ENOMEM);
        EXPECT_TRUE(holds(object, 7, 100));
    }
    free(object);
}

TEST(MallocConformance, WhatNobodyCanHaveIsRefused) {
    for (const size_t bytes : impossible_sizes) {
        for (int way = 0; way < 6; ++way) {
            errno = 0;
            void* object = way == 0   ? malloc(opaque(bytes))
                           : way == 1 ? calloc(opaque(bytes), 1)
                           : way == 2 ? memalign(4096, opaque(bytes))
                           : way == 3 ? aligned_alloc(64, opaque(bytes))
                           : way == 4 ? valloc(opaque(bytes))
                                      : pvalloc(opaque(bytes));
            EXPECT_EQ(object, nullptr) << way << " " << bytes;
            EXPECT_EQ(errno, ENOMEM) << way << " " << bytes;
        }
    }
}

TEST(MallocConformance, ReallocOfNullIsMalloc) {
    for (size_t bytes : {1, 100, 100000, 30 << 20}) {
        void* object = realloc(nullptr, opaque(bytes));
        ASSERT_NE(object, nullptr);
        EXPECT_GE(malloc_usable_size(object), bytes);
        free(object);
    }
}

TEST(MallocConformance, ReallocToZeroFrees) {
    for (size_t bytes : {1, 100, 100000, 30 << 20}) {
        void* object = malloc(opaque(bytes));
        EXPECT_EQ(realloc(object, opaque(size_t{0})), nullptr);
    }
}

TEST(MallocConformance, ReallocKeepsContents) {
    std::mt19937 random(7);
    size_t bytes = 10;
    void* object = malloc(bytes);
    memset(object, 3, bytes);
    for (int step = 0; step < 1500; ++step) {
        const size_t wanted = step % 500 == 499 ? size_t{20} << 20 : 1 + random() % 5000;
        object = realloc(object, wanted);
        ASSERT_NE(object, nullptr);
        ASSERT_TRUE(holds(object, 3, std::min(bytes, wanted))) << step;
        EXPECT_TRUE(is_aligned(object, alignof(max_align_t)));
        EXPECT_GE(malloc_usable_size(object), wanted);
        memset(object, 3, wanted);
        bytes = wanted;
    }
    free(object);
}

TEST(MallocConformance, ReallocThatFailsLeavesTheObject) {
    for (size_t bytes : {10, 100, 3000, 100000, 30 << 20}) {
        void* object = malloc(bytes);
        memset(object, 9, bytes);
        for (const size_t wanted : impossible_sizes) {
            errno = 0;
            EXPECT_EQ(realloc(opaque(object), opaque(wanted)), nullptr);
            EXPECT_EQ(errno, ENOMEM);
            EXPECT_EQ(reallocarray(opaque(object), opaque(wanted), 1), nullptr);
        }
        EXPECT_TRUE(holds(object, 9, bytes)) << bytes;
        free(object);
    }
}

TEST(MallocConformance, PosixMemalignKeepsItsWord) {
    for (size_t shift = 3; shift <= largest_shift; ++shift) {
        for (size_t bytes : {size_t{0}, size_t{1}, size_t{100}, size_t{5000}, size_t{1} << shift}) {
            // Several: the first may be aligned by chance.
            void* objects[3] = {};
            for (void*& object : objects) {
                ASSERT_EQ(posix_memalign(&object, size_t{1} << shift, opaque(bytes)), 0);
                ASSERT_NE(object, nullptr);
                EXPECT_TRUE(is_aligned(object, size_t{1} << shift)) << shift << " " << bytes;
                EXPECT_GE(malloc_usable_size(object), bytes);
                memset(object, 1, bytes);
            }
            for (void* object : objects) {
                free(object);
            }
        }
    }
}

TEST(MallocConformance, PosixMemalignLeavesAllAloneWhereItFails) {
    int nothing = 0;
    void* result = &nothing;
    for (size_t alignment : {0, 1, 2, 3, 4, 12, 24, 48}) {
        EXPECT_EQ(posix_memalign(&result, opaque(alignment), 8), EINVAL) << alignment;
    }
    for (const size_t bytes : impossible_sizes) {
        EXPECT_EQ(posix_memalign(&result, 64, opaque(bytes)), ENOMEM) << bytes;
    }
    EXPECT_EQ(result, &nothing);
}

TEST(MallocConformance, AlignedRequestsAreAligned) {
    for (size_t shift = 0; shift <= largest_shift; ++shift) {
        const size_t alignment = size_t{1} << shift;
        void* objects[] = {memalign(alignment, 10), aligned_alloc(alignment, alignment),
                           memalign(alignment, 3000)};
        for (void* object : objects) {
            ASSERT_NE(object, nullptr);
            EXPECT_TRUE(is_aligned(object, alignment)) << alignment;
            free(object);
        }
    }
}

TEST(MallocConformance, MemalignRoundsAlignmentsUp) {
    const size_t alignments[][2] = {{0, 16}, {3, 4}, {17, 32}, {48, 64}, {5000, 8192}};
    for (const auto& [asked, got] : alignments) {
        void* objects[] = {memalign(opaque(asked), 10), memalign(opaque(asked), 10)};
        for (void* object : objects) {
            ASSERT_NE(object, nullptr);
            EXPECT_TRUE(is_aligned(object, got)) << asked;
            free(object);
        }
    }
    errno = 0;
    EXPECT_EQ(memalign(opaque(SIZE_MAX), 8), nullptr);
    EXPECT_EQ(errno, EINVAL);
}

TEST(MallocConformance, VallocAndPvallocGivePages) {
    for (size_t bytes : {size_t{0}, size_t{1}, page() - 1, page() + 1, 10 * page()}) {
        void* object = valloc(opaque(bytes));
        ASSERT_NE(object, nullptr);
        EXPECT_TRUE(is_aligned(object, page()));
        EXPECT_GE(malloc_usable_size(object), bytes);
        free(object);
        object = pvalloc(opaque(bytes));
        ASSERT_NE(object, nullptr);
        EXPECT_TRUE(is_aligned(object, page()));
        EXPECT_GE(malloc_usable_size(object), (bytes + page() - 1) / page() * page());
        free(object);
    }
}

TEST(MallocConformance, UsableSizeStaysWhileTheObjectLives) {
    EXPECT_EQ(malloc_usable_size(nullptr), 0u);
    for (size_t bytes : {0, 1, 24, 100, 3000, 50000, 20 << 20}) {
        void* object = malloc(opaque(bytes));
        const size_t usable = malloc_usable_size(object);
        EXPECT_GE(usable, bytes);
        memset(object, 0xff, usable);
        EXPECT_EQ(malloc_usable_size(object), usable);
        free(object);
    }
}

TEST(MallocConformance, SuccessLeavesErrnoAlone) {
    for (size_t bytes : {0, 1, 100, 3000, 200000, 40 << 20}) {
        errno = 9;
        free(nullptr);
        free(malloc(opaque(bytes)));
        free(calloc(1, opaque(bytes)));
        free(memalign(64, opaque(bytes)));
        free(realloc(malloc(opaque(bytes)), 2 * bytes + 1));
        free(pvalloc(opaque(bytes)));
        EXPECT_EQ(errno, 9) << bytes;
    }
}

// What a plug-in got from the C library itself, before or beside the heap.
TEST(MallocConformance, ObjectsOfTheCLibraryAreAccepted) {
    void* library = dlopen("libc.so.6", RTLD_LAZY);
    auto* real = reinterpret_cast<void* (*)(size_t)>(dlsym(library, "malloc"));
    ASSERT_NE(real, nullptr);
    void* object = real(1000);
    memset(object, 4, 1000);
    EXPECT_GE(malloc_usable_size(object), 1000u);
    object = realloc(object, 3000);
    EXPECT_TRUE(holds(object, 4, 1000));
    free(object);
    free(real(10));
    dlclose(library);
}

}  // namespace
}  // namespace malloom::tests
