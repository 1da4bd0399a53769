// Arrays of structures as compiled code asks for them (include/malloom/pools.h).
#include <errno.h>
#include <gtest/gtest.h>
#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <deque>
#include <iterator>
#include <new>
#include <random>
#include <thread>
#include <utility>
#include <vector>

#include "include/malloom/pools.h"
#include "tests/runtime/forking_handler.h"
#include "tests/runtime/heaps/arrays/array_contents.h"

extern "C" void malloom_check_array(const malloom_arrays* of, const void* address, size_t bytes);
extern "C" void malloom_verify_outside(const void* address, size_t bytes);

namespace malloom::tests {
namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool is_sanitized = true;  // by what takes more addresses than any limit leaves
#else
constexpr bool is_sanitized = false;
#endif

/// A structure; in the process for good, as those of programs are.
struct Structure {
    explicit Structure(const std::vector<unsigned>& bytes)
        : places(bytes),
          arrays{static_cast<unsigned>(places.begins.size()), places.structure_bytes(),
                 places.element_bytes.data(), places.begins.data(), nullptr} {}

    void* alloc(size_t elements) { return malloom_array_alloc(&arrays, elements * places.structure_bytes()); }
    void* calloc(size_t elements) {
        return malloom_array_calloc(&arrays, elements, places.structure_bytes());
    }
    void free(void* first) { malloom_array_free(&arrays, first); }

    PartPlaces places;
    malloom_arrays arrays;
};

Structure& new_structure(const std::vector<unsigned>& bytes) {
    static std::deque<Structure> all;  // of use to the run time until the end
    return all.emplace_back(bytes);
}

/// Makes, checks and frees arrays of random lengths; true where all had their bytes. It asks for nothing
/// else: in a child of a fork a sanitizer's allocator stays locked that another thread was in.
bool work(Structure& structure, unsigned seed, int steps) {
    std::mt19937 random(seed);
    FilledArray living[50];
    size_t count = 0;
    bool is_right = true;
    for (int step = 0; step < steps; ++step) {
        if (count == std::size(living) || (random() % 3 == 0 && count != 0)) {
            std::swap(living[random() % count], living[count - 1]);
            --count;
            is_right = is_right && is_filled(structure.places, living[count]);
            structure.free(living[count].first);
            continue;
        }
        const size_t elements = random() % (random() % 8 == 0 ? 500 : 10) + 1;
        const bool zeroed = random() % 2 == 0;
        const FilledArray array = {zeroed ? structure.calloc(elements) : structure.alloc(elements), elements,
                                   seed + static_cast<unsigned>(step)};
        is_right = is_right && array.first != nullptr && (!zeroed || is_zero(structure.places, array));
        fill(structure.places, array);
        living[count++] = array;
    }
    for (size_t left = 0; left < count; ++left) {
        is_right = is_right && is_filled(structure.places, living[left]);
        structure.free(living[left].first);
    }
    return is_right;
}

/// Of a child of a fork that does the work.
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

TEST(CompiledArrays, ArraysKeepTheirBytesAndErrnoStays) {
    Structure& structure = new_structure({8, 12, 4});
    errno = 77;
    EXPECT_TRUE(work(structure, 1, 5'000));
    EXPECT_EQ(errno, 77);
}

TEST(CompiledArrays, StructuresHaveTheirOwnRegions) {
    Structure& one = new_structure({8, 8});
    Structure& other = new_structure({4, 20});
    const FilledArray mine = {one.alloc(1'000), 1'000, 1}, theirs = {other.alloc(1'000), 1'000, 2};
    fill(one.places, mine);
    fill(other.places, theirs);
    EXPECT_TRUE(is_filled(one.places, mine));
    EXPECT_TRUE(is_filled(other.places, theirs));
    one.free(mine.first);
    other.free(theirs.first);
}

TEST(CompiledArrays, NothingAndPartsOfElementsHaveAddressesOfTheirOwn) {
    Structure& structure = new_structure({8, 24});
    void* nothing = structure.alloc(0);
    void* none = structure.calloc(0);
    EXPECT_NE(nothing, nullptr);
    EXPECT_NE(none, nullptr);
    EXPECT_NE(nothing, none);
    void* odd = malloom_array_alloc(&structure.arrays, 33);
    void* next = malloom_array_alloc(&structure.arrays, 33);
    EXPECT_EQ(static_cast<char*>(next) - static_cast<char*>(odd), 16) << "of two elements";
    structure.free(nullptr);
    for (void* each : {nothing, none, odd, next}) {
        structure.free(each);
    }
}

TEST(CompiledArrays, WhatCannotBeIsNull) {
    Structure& structure = new_structure({8, 24});
    for (const size_t bytes : {SIZE_MAX, SIZE_MAX / 2, size_t{1} << 50}) {
        errno = 0;
        EXPECT_EQ(malloom_array_alloc(&structure.arrays, bytes), nullptr);
        EXPECT_EQ(errno, ENOMEM);
    }
    errno = 0;
    EXPECT_EQ(malloom_array_calloc(&structure.arrays, SIZE_MAX / 8, 32), nullptr);
    EXPECT_EQ(errno, ENOMEM);
    EXPECT_NE(structure.alloc(1), nullptr) << "the others are served";
    malloom_arrays many = structure.arrays;
    many.parts = MALLOOM_MOST_PARTS + 1;
    many.state = nullptr;
    EXPECT_EQ(malloom_array_alloc(&many, 32), nullptr);
}

TEST(CompiledArrays, NewThrows) {
    Structure& structure = new_structure({8, 24});
    void* array = malloom_array_new(&structure.arrays, 320);
    EXPECT_NE(array, nullptr);
    structure.free(array);
    EXPECT_THROW(malloom_array_new(&structure.arrays, SIZE_MAX), std::bad_alloc);
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)  // whose operator new asks no handler
// As operator new does: the handler may free memory, and is asked until it gives up.
TEST(CompiledArrays, NewAsksTheHandler) {
    static Structure& structure = new_structure({8, 24});
    static void* large = nullptr;
    constexpr size_t most_of_a_region = size_t{40} << 30;
    large = malloom_array_new(&structure.arrays, most_of_a_region);
    std::set_new_handler([] {
        structure.free(large);
        large = nullptr;
        std::set_new_handler([] { std::set_new_handler(nullptr); });
    });
    void* next = malloom_array_new(&structure.arrays, most_of_a_region);
    EXPECT_NE(next, nullptr);
    EXPECT_EQ(large, nullptr);
    EXPECT_THROW(malloom_array_new(&structure.arrays, most_of_a_region), std::bad_alloc);
    EXPECT_EQ(std::get_new_handler(), nullptr);
    structure.free(next);
}
#endif

TEST(CompiledArrays, MisuseEndsTheProgram) {
    Structure& structure = new_structure({8, 24});
    int elsewhere = 0;
    EXPECT_DEATH(structure.free(&elsewhere), "no object begins");
    char* array = static_cast<char*>(structure.alloc(10));
    EXPECT_DEATH(structure.free(array + 16), "no object begins");
    EXPECT_DEATH(structure.free(&elsewhere), "no object begins");
    structure.free(array);
    EXPECT_DEATH(structure.free(array), "freed before");
}

TEST(CompiledArrays, AccessesAreVerified) {
    Structure& structure = new_structure({8, 24});
    auto* array = structure.alloc(10);
    for (size_t part = 0; part < 2; ++part) {
        unsigned char* place = structure.places.place(array, part, 9);
        const size_t bytes = structure.places.element_bytes[part];
        malloom_check_array(&structure.arrays, place, bytes);
        EXPECT_DEATH(malloom_check_array(&structure.arrays, place, bytes + 1), "does not hit its arrays");
        EXPECT_DEATH(malloom_verify_outside(place, bytes), "was not known");
        malloom_verify_outside(place, 0);
    }
    int elsewhere = 0;
    malloom_verify_outside(&elsewhere, sizeof elsewhere);
    malloom_check_array(&structure.arrays, &elsewhere, 0);
    EXPECT_DEATH(malloom_check_array(&structure.arrays, &elsewhere, 4), "does not hit its arrays");
}

TEST(CompiledArrays, ThreadsShareStructures) {
    Structure& one = new_structure({8, 24});
    Structure& other = new_structure({4, 2, 1});
    std::atomic<int> right = 0;
    std::vector<std::thread> threads;
    for (unsigned seed = 1; seed <= 4; ++seed) {
        threads.emplace_back([&, seed] {
            right += work(one, seed * 100'000, 3'000);
            right += work(other, seed * 100'000, 3'000);
        });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    EXPECT_EQ(right, 8);
}

TEST(CompiledArrays, ChildrenOfAForkGoOn) {
    Structure& structure = new_structure({8, 24});
    std::atomic<bool> is_over = false;
    std::thread other([&] {
        for (unsigned seed = 1; !is_over; ++seed) {
            EXPECT_TRUE(work(structure, seed, 200));
        }
    });
    const FilledArray kept = {structure.alloc(100), 100, 5};
    fill(structure.places, kept);
    for (int round = 0; round < 20; ++round) {
        EXPECT_EQ(exit_status_of_child([&] {
                      const bool is_kept = is_filled(structure.places, kept);
                      structure.free(kept.first);
                      return is_kept && work(structure, 9, 1'000) && work(new_structure({16}), 9, 100);
                  }),
                  0);
    }
    is_over = true;
    other.join();
    EXPECT_TRUE(is_filled(structure.places, kept));
}

// The program's handlers of a fork come while nothing is locked: they may wait for threads that ask.
TEST(CompiledArrays, HandlersOfAForkMayWaitForThreads) {
    static Structure& structure = new_structure({8, 24});
    static bool is_wanted = true;
    const auto ask_elsewhere = [] {
        if (is_wanted) {
            std::thread([] { structure.free(structure.alloc(1'000)); }).join();
        }
    };
    pthread_atfork(ask_elsewhere, ask_elsewhere, nullptr);
    structure.free(structure.alloc(1));
    alarm(60);
    EXPECT_EQ(exit_status_of_child([&] { return work(structure, 1, 100); }), 0);
    alarm(0);
    is_wanted = false;
}

TEST(CompiledArrays, HandlersOfAForkMayAsk) {
    static Structure& structure = new_structure({8, 24});
    structure.free(structure.alloc(1));
    static std::atomic<int> asked = 0;
    const auto ask = [] {
        void* array = structure.alloc(3);
        asked += array != nullptr;
        structure.free(array);
    };
    pthread_atfork(ask, ask, ask);
    EXPECT_EQ(exit_status_of_child([&] { return asked == 2 && work(structure, 1, 100); }), 0);
    EXPECT_EQ(asked, 2);
    EXPECT_TRUE(work(structure, 1, 100));
}

// Nothing stays locked.
TEST(CompiledArrays, ASignalHandlerMayForkWithinAFork) {
    static Structure& structure = new_structure({8, 24});
    structure.free(structure.alloc(1));
    for (const HandlerComes comes : {HandlerComes::before_the_child, HandlerComes::after_the_child}) {
        EXPECT_TRUE(are_well_after_fork_within_fork(comes, [] { return work(structure, 1, 100); }));
        bool is_right = false;
        alarm(60);
        std::thread([&] { is_right = work(structure, 2, 100); }).join();
        alarm(0);
        EXPECT_TRUE(is_right);
    }
}

// A handler that comes while its thread has a lock would wait for itself.
TEST(CompiledArrays, SignalHandlersMayAsk) {
    static Structure& structure = new_structure({8, 24});
    structure.free(structure.alloc(1));
    static std::atomic<int> handled = 0;
    struct sigaction action = {}, before = {};
    action.sa_handler = [](int) {
        void* array = structure.alloc(7);
        structure.free(array);
        handled += array != nullptr;
    };
    sigaction(SIGUSR1, &action, &before);
    const pthread_t worker = pthread_self();
    std::atomic<bool> is_over = false;
    std::thread other([&] {
        while (!is_over) {
            pthread_kill(worker, SIGUSR1);
            usleep(20);
        }
    });
    for (unsigned seed = 1; handled < 20 && seed < 1'000; ++seed) {
        ASSERT_TRUE(work(structure, seed, 500));
    }
    is_over = true;
    other.join();
    sigaction(SIGUSR1, &before, nullptr);
    EXPECT_GT(handled, 0);
}

/// Of a process that begins anew: other tests have regions already, and threads.
class FirstArrays : public testing::Test {
  protected:
    FirstArrays() { GTEST_FLAG_SET(death_test_style, "threadsafe"); }

    static bool set_limit(__rlimit_resource what, size_t bytes) {
        const rlimit limit = {bytes, bytes};
        return setrlimit(what, &limit) == 0;
    }
    static constexpr size_t gibibyte = size_t{1} << 30;
};

// A handler may get nothing, but neither waits for its own thread nor harms what that does.
TEST_F(FirstArrays, AHandlerOfTheOnlyThreadNeverWaits) {
    static Structure& structure = new_structure({8, 24});
    static volatile int handled = 0;
    const auto ask = [] {
        structure.free(structure.alloc(1));
        signal(SIGALRM, [](int) {
            structure.free(structure.alloc(100));
            handled = handled + 1;
        });
        const itimerval often = {{0, 50}, {0, 50}};
        setitimer(ITIMER_REAL, &often, nullptr);
        bool is_right = true;
        for (unsigned seed = 1; is_right && handled < 200; ++seed) {
            is_right = work(structure, seed, 500);
        }
        return is_right;
    };
    EXPECT_EXIT(_exit(ask() ? 0 : 1), testing::ExitedWithCode(0), "");
}

TEST_F(FirstArrays, EnoughAddressesForAll) {
    Structure& structure = new_structure({8, 24});
    Structure& another = new_structure({8});
    const auto ask = [&] {
        const bool is_limited = is_sanitized || set_limit(RLIMIT_AS, gibibyte);
        const bool is_right = work(structure, 1, 1'000) && work(another, 1, 1'000);
        void* rest = malloc(gibibyte / 4);
        const bool has_rest = rest != nullptr;
        free(rest);
        void* large = structure.alloc(size_t{1} << 40);
        return is_limited && is_right && has_rest && large == nullptr && errno == ENOMEM;
    };
    EXPECT_EXIT(_exit(ask() ? 0 : 1), testing::ExitedWithCode(0), "");
}

TEST_F(FirstArrays, AFirstRequestThatIsLargeIsServed) {
    Structure& structure = new_structure({8, 24});
    const auto ask = [&] {
        return (is_sanitized || set_limit(RLIMIT_AS, gibibyte)) &&
               structure.alloc(gibibyte / 2 / 32) != nullptr;
    };
    EXPECT_EXIT(_exit(ask() ? 0 : 1), testing::ExitedWithCode(0), "");
}

TEST_F(FirstArrays, MemoryThatIsShortIsNullAndLessIsServed) {
    Structure& structure = new_structure({8, 24});
    const auto ask = [&] {
        structure.free(structure.alloc(1));
        const bool is_limited = set_limit(RLIMIT_DATA, gibibyte / 1024);
        errno = 0;
        void* large = structure.alloc(100'000'000);
        return is_limited && large == nullptr && errno == ENOMEM && structure.alloc(10) != nullptr;
    };
    EXPECT_EXIT(_exit(ask() ? 0 : 1), testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace malloom::tests
