// What compiled code calls (include/malloom/pools.h), called by hand.
#include <errno.h>
#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <new>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "include/malloom/pools.h"
#include "runtime/compiled/pools.h"
#include "tests/runtime/forking_handler.h"

namespace malloom::tests {
namespace {

// Each test has structures of its own.
enum Structure : unsigned {
    sizes,
    neighbours,
    others,
    resized,
    in_place,
    zeroed,
    texts,
    aligned,
    thrown,
    shared,
    of_handlers,
    waited_for,
    forked_within,
    new_in_handler,
    forbidden,
    first_raced,
    last_raced = first_raced + 3'000,
    first_of_child
};

bool is_aligned(const void* object, size_t to) {
    return reinterpret_cast<uintptr_t>(object) % to == 0;
}

TEST(CompiledPools, ObjectsOfAnySizeHaveAllTheirBytes) {
    std::vector<std::pair<unsigned char*, size_t>> objects;
    for (size_t bytes = 0; bytes < 40'000; bytes += bytes < 300 ? 1 : 997) {
        for (int i = 0; i < 3; ++i) {
            auto* object = static_cast<unsigned char*>(malloom_pool_alloc_any(sizes, bytes));
            ASSERT_NE(object, nullptr);
            EXPECT_TRUE(is_aligned(object, 16));
            memset(object, static_cast<int>(objects.size() % 251), bytes);
            objects.emplace_back(object, bytes);
        }
    }
    for (size_t i = 0; i < objects.size(); ++i) {
        const auto& [object, bytes] = objects[i];
        for (size_t at = 0; at < bytes; ++at) {
            ASSERT_EQ(object[at], i % 251) << bytes;
        }
        malloom_pool_free(object);
    }
}

// After a few, which lie with those of all.
TEST(CompiledPools, ObjectsOfOneStructureAndSizeLieTogether) {
    constexpr size_t bytes = 40, room = 48;
    for (int i = 0; i < 100; ++i) {
        malloom_pool_alloc_any(neighbours, bytes);
        malloom_pool_alloc_any(others, bytes);
    }
    auto* last = static_cast<char*>(malloom_pool_alloc_any(neighbours, bytes));
    int together = 0;
    for (int i = 0; i < 100; ++i) {
        malloom_pool_alloc_any(others, bytes - 1);
        auto* next = static_cast<char*>(malloom_pool_alloc_any(neighbours, bytes));
        together += next == last + room;
        last = next;
    }
    EXPECT_GE(together, 95);
}

TEST(CompiledPools, ResizedObjectsKeepTheirBytes) {
    std::mt19937 random(7);
    char* object = nullptr;
    size_t known = 0;
    for (int round = 0; round < 3000; ++round) {
        const size_t bytes = random() % (round % 10 == 0 ? 100'000 : 2'000) + 1;
        object = static_cast<char*>(malloom_pool_realloc(resized, object, bytes));
        ASSERT_NE(object, nullptr);
        for (size_t i = 0; i < std::min(known, bytes); ++i) {
            ASSERT_EQ(object[i], static_cast<char>(i * 7)) << round;
        }
        for (size_t i = 0; i < bytes; ++i) {
            object[i] = static_cast<char>(i * 7);
        }
        known = bytes;
    }
    malloom_pool_free(object);
}

TEST(CompiledPools, AnObjectThatFitsStaysWhereItIs) {
    void* object = malloom_pool_alloc_any(in_place, 150);
    EXPECT_EQ(malloom_pool_realloc(in_place, object, 160), object);
    EXPECT_EQ(malloom_pool_realloc(in_place, object, 100), object);
    void* moved = malloom_pool_realloc(in_place, object, 161);
    EXPECT_NE(moved, object);
    EXPECT_EQ(malloom_pool_realloc(in_place, moved, 0), nullptr);
    EXPECT_EQ(malloom_pool_alloc_any(in_place, 170), moved);
}

// Of the C library's before it was one of a pool's, and of another kind of pool.
TEST(CompiledPools, ObjectsOfAllKindsAreResizedAndFreed) {
    void* object = malloom_pool_realloc(resized, malloc(100), 200);
    ASSERT_NE(object, nullptr);
    malloom_pool_free(object);
    void* plain = malloom_pool_alloc(resized, 48, 0);
    memcpy(plain, "still here", 11);
    plain = malloom_pool_realloc(resized, plain, 50'000);
    EXPECT_STREQ(static_cast<char*>(plain), "still here");
    malloom_pool_free(plain);
    malloom_pool_free(malloom_pool_alloc_any(resized, 50'000));
    malloom_pool_free(nullptr);
}

TEST(CompiledPools, ZeroedObjectsAreZeroAgainAfterUse) {
    for (const size_t count : {size_t{3}, size_t{200}, size_t{9'000}}) {
        for (int i = 0; i < 200; ++i) {
            auto* object = static_cast<uint64_t*>(malloom_pool_calloc_any(zeroed, count, sizeof(uint64_t)));
            ASSERT_NE(object, nullptr);
            for (size_t at = 0; at < count; ++at) {
                ASSERT_EQ(object[at], 0U);
            }
            memset(object, 255, count * sizeof(uint64_t));
            malloom_pool_free(object);
        }
    }
    volatile size_t many = SIZE_MAX / 4;  // which compilers would warn of
    EXPECT_EQ(malloom_pool_calloc_any(zeroed, many, 16), nullptr);
    EXPECT_EQ(errno, ENOMEM);
}

TEST(CompiledPools, TextsAreCopied) {
    const std::string text(1'000, 'x');
    char* copy = malloom_pool_strdup(texts, text.c_str());
    EXPECT_EQ(copy, text);
    char* part = malloom_pool_strndup(texts, text.c_str(), 10);
    EXPECT_EQ(part, std::string(10, 'x'));
    char* all = malloom_pool_strndup(texts, "short", 100);
    EXPECT_STREQ(all, "short");
    for (char* each : {copy, part, all}) {
        malloom_pool_free(each);
    }
}

TEST(CompiledPools, AlignedObjectsLieAtMultiples) {
    std::vector<void*> objects;
    for (int i = 0; i < 1'000; ++i) {
        void* object = nullptr;
        ASSERT_EQ(malloom_pool_memalign(aligned, &object, 512, 1 << 16), 0);
        EXPECT_TRUE(is_aligned(object, 256));
        memset(object, i, 512);
        objects.push_back(object);
    }
    for (void* object : objects) {
        malloom_pool_free(object);
    }
}

TEST(CompiledPools, WhatPoolsCannotServeIsTheCLibrarys) {
    void* object = nullptr;
    ASSERT_EQ(malloom_pool_memalign(MALLOOM_MOST_STRUCTURES, &object, 512, 1 << 16), 0);
    EXPECT_TRUE(is_aligned(object, 512));
    memset(object, 1, 512);
    malloom_pool_free(object);
    object = malloom_pool_alloc(sizes, 100'000, 0);
    ASSERT_NE(object, nullptr);
    memset(object, 1, 100'000);
    malloom_pool_free(object);
    void* untouched = &object;
    EXPECT_EQ(malloom_pool_memalign(MALLOOM_MOST_STRUCTURES, &untouched, SIZE_MAX / 4, 1 << 16), ENOMEM);
    EXPECT_EQ(untouched, &object);
}

TEST(CompiledPools, OperatorsOfBothKindsMeet) {
    void* object = malloom_pool_new_aligned(thrown, 128, 1 << 16, 128);
    EXPECT_TRUE(is_aligned(object, 128));
    malloom_pool_delete_aligned(object, 128);
    malloom_pool_delete_aligned(::operator new(64, std::align_val_t(64)), 64);
    malloom_pool_delete(malloom_pool_new_any(thrown, 100));
    malloom_pool_delete(malloom_pool_new_any(thrown, 100'000));
    volatile size_t many = SIZE_MAX / 4;
    EXPECT_THROW(malloom_pool_new_any(thrown, many), std::bad_alloc);
}

TEST(CompiledPools, WhatPoolsDoNotTakeIsForTheProgramsOperator) {
    const auto otherwise = [](size_t bytes, const void* nothrow) -> void* {
        EXPECT_EQ(nothrow, &std::nothrow);
        return bytes < 1'000'000 ? ::operator new(bytes) : nullptr;
    };
    malloom_pool_delete(malloom_pool_new_or_null(thrown, 96, 0, otherwise, &std::nothrow));
    malloom_pool_delete(malloom_pool_new_or_null_any(thrown, 100, otherwise, &std::nothrow));
    malloom_pool_delete(malloom_pool_new_or_null_any(thrown, 100'000, otherwise, &std::nothrow));
    EXPECT_EQ(malloom_pool_new_or_null_any(thrown, 1'000'000, otherwise, &std::nothrow), nullptr);
    EXPECT_EQ(malloom_pool_new_or_null(MALLOOM_MOST_STRUCTURES, 1'000'000, 0, otherwise, &std::nothrow),
              nullptr);
}

TEST(CompiledPools, ThreadsShareStructuresOfAnySize) {
    const auto work = [](unsigned seed) {
        std::mt19937 random(seed);
        std::vector<std::pair<unsigned char*, size_t>> living(200);
        for (int step = 0; step < 20'000; ++step) {
            auto& [object, bytes] = living[random() % living.size()];
            for (size_t i = 0; i < bytes; ++i) {
                ASSERT_EQ(object[i], static_cast<unsigned char>(seed + bytes));
            }
            malloom_pool_free(object);
            bytes = random() % 500 + 1;
            object = static_cast<unsigned char*>(malloom_pool_alloc_any(shared, bytes));
            memset(object, static_cast<int>(seed + bytes), bytes);
        }
        for (const auto& [object, bytes] : living) {
            malloom_pool_free(object);
        }
    };
    std::thread one(work, 1), two(work, 2);
    one.join();
    two.join();
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)  // whose operator new asks no handler
// As operator new does: the handler may free memory, and is asked until it gives up.
TEST(CompiledPools, NewAsksTheHandler) {
    static int asked = 0;
    std::set_new_handler([] {
        if (++asked == 3) {
            std::set_new_handler(nullptr);
        }
    });
    EXPECT_THROW(malloom_split_new(of_handlers, 8, 24, 1), std::bad_alloc) << "no such pools";
    EXPECT_EQ(asked, 3);
}
#endif

/// What a child of a fork ends with that does the work.
template <class Work>
int exit_status_of_child(Work child_work) {
    const pid_t child = fork();
    if (child == 0) {
        alarm(60);
        _exit(child_work() ? 0 : 1);
    }
    int status = -1;
    waitpid(child, &status, 0);
    return status;
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
/// From now on the process ends when it opens a file.
bool forbid_to_open_files() {
    sock_filter only_others[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_openat, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    const sock_fprog filter = {std::size(only_others), only_others};
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) == 0;
}

// What pools ask the system, they ask before the program's main work.
TEST(CompiledPools, GrowInAProcessThatMayOpenNoFiles) {
    malloom_pool_free(malloom_pool_alloc(forbidden, 1'000, 0));
    const auto grow = [] {
        bool is_served = forbid_to_open_files();
        for (int i = 0; i < 100'000; ++i) {
            is_served = malloom_pool_alloc(forbidden, 1'000, 0) != nullptr && is_served;
        }
        return is_served;
    };
    EXPECT_EQ(exit_status_of_child(grow), 0);
}
#endif

// The program's handlers of a fork come while nothing is locked: they may wait for threads that ask.
TEST(CompiledPools, HandlersOfAForkMayWaitForThreads) {
    static bool is_wanted = true;
    const auto ask_elsewhere = [] {
        if (is_wanted) {
            std::thread([] { malloom_pool_free(malloom_pool_alloc(waited_for, 24, 0)); }).join();
        }
    };
    pthread_atfork(ask_elsewhere, ask_elsewhere, nullptr);
    malloom_pool_free(malloom_pool_alloc(waited_for, 24, 0));
    alarm(60);
    EXPECT_EQ(exit_status_of_child([] { return malloom_pool_alloc(waited_for, 24, 0) != nullptr; }), 0);
    alarm(0);
    is_wanted = false;
}

// A structure's first request in a handler that comes while the forking thread has all locks.
TEST(CompiledPools, HandlersOfAForkMayAskForNewStructures) {
    std::thread([] { malloom_pool_free(malloom_pool_alloc(waited_for, 24, 0)); }).join();
    static volatile int asked = 0;
    handler = [] {
        void* objects[] = {malloom_pool_alloc(new_in_handler, 24, 0),
                           malloom_pool_alloc_any(new_in_handler, 24)};
        for (void* object : objects) {
            asked = asked + (object != nullptr);
            malloom_pool_free(object);
        }
    };
    for (const HandlerComes comes : {HandlerComes::before_the_child, HandlerComes::after_the_child}) {
        handler_comes = comes;
        alarm(60);
        EXPECT_EQ(exit_status_of_child([] { return malloom_pool_alloc(waited_for, 24, 0) != nullptr; }), 0);
    }
    alarm(0);
    EXPECT_EQ(asked, 4);
}

// Nothing stays locked, and no thread is left without its pools.
TEST(CompiledPools, ASignalHandlerMayForkWithinAFork) {
    const auto is_served = [] {
        void* object = malloom_pool_alloc(forked_within, 24, 0);
        const bool is_pools = compiled::pools.owns(object);
        malloom_pool_free(object);
        return is_pools;
    };
    ASSERT_TRUE(is_served());
    for (const HandlerComes comes : {HandlerComes::before_the_child, HandlerComes::after_the_child}) {
        EXPECT_TRUE(are_well_after_fork_within_fork(comes, is_served));
        bool is_other_served = false;
        alarm(60);
        std::thread([&] { is_other_served = is_served(); }).join();
        alarm(0);
        EXPECT_TRUE(is_other_served);
    }
}

// A structure's first request in a child, while another thread of the parent was at one.
TEST(CompiledPools, ChildrenMakeClientsOfTheirOwn) {
    std::atomic<bool> is_over = false;
    std::thread other([&] {
        for (unsigned structure = first_raced; structure < last_raced && !is_over; ++structure) {
            malloom_pool_free(malloom_pool_alloc(structure, 24, 0));
        }
        while (!is_over) {
            std::this_thread::yield();
        }
    });
    for (unsigned structure = first_of_child; structure < first_of_child + 20; ++structure) {
        EXPECT_EQ(exit_status_of_child([=] { return malloom_pool_alloc(structure, 24, 0) != nullptr; }), 0);
    }
    is_over = true;
    other.join();
}

}  // namespace
}  // namespace malloom::tests
