#include "runtime/context/shared_walks.h"

#include <alloca.h>
#include <gtest/gtest.h>
#include <pthread.h>
#include <sys/mman.h>

#include <vector>

#include "tests/amount.h"

// A trace may be read while it is written: its version says then that it is not whole.
extern "C" const char* __tsan_default_suppressions() {
    return "race:runtime/context/walk_trace.h\n";
}

namespace malloom::tests {
namespace {

using context::Caller;

constexpr unsigned depth = 6;
constexpr size_t stack_bytes = size_t{4} << 20;
// Stack pointers that differ by a multiple of this use the same place of SharedWalks.
constexpr uintptr_t same_place_bytes = uintptr_t{1} << 16;

context::SharedWalks<int> walks;
int entry = 0;

[[gnu::noinline]] bool find_here() {
    const Caller caller = context::current_caller();
    const bool is_known = walks.find(caller) != nullptr;
    if (!is_known) {
        walks.walk(caller, depth, [](const uintptr_t*, unsigned) -> int& { return entry; });
    }
    return is_known;
}

[[gnu::noinline]] uint64_t find_often() {
    uint64_t known = 0;
    const int times = amount(2000000);
    for (int i = 0; i < times; ++i) {
        known += find_here() ? 1 : 0;
    }
    return known;
}

// With frames that span so many bytes, and end where the other threads' do.
[[gnu::noinline]] uint64_t find_below(uintptr_t bytes) {
    const auto here = reinterpret_cast<uintptr_t>(__builtin_frame_address(0));
    auto* frame = static_cast<volatile char*>(alloca(here % same_place_bytes / 16 * 16 + bytes));
    frame[0] = 1;
    return find_often() + frame[0] - 1;
}

void* run(void* bytes) {
    return reinterpret_cast<void*>(find_below(reinterpret_cast<uintptr_t>(bytes)));
}

// A stack with nothing above it that can be read.
pthread_t start(uintptr_t bytes) {
    void* range = mmap(nullptr, 2 * stack_bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    mprotect(range, stack_bytes, PROT_READ | PROT_WRITE);
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstack(&attributes, range, stack_bytes);
    pthread_t thread = {};
    EXPECT_EQ(pthread_create(&thread, &attributes, run, reinterpret_cast<void*>(bytes)), 0);
    pthread_attr_destroy(&attributes);
    return thread;
}

TEST(SharedWalks, ThreadsReadNoStackAtAnothersPlaces) {
    std::vector<pthread_t> threads;
    for (uintptr_t i = 0; i < 4; ++i) {
        threads.push_back(start(i % 2 * (stack_bytes / 2)));
    }
    uint64_t known = 0;
    for (pthread_t thread : threads) {
        void* result = nullptr;
        pthread_join(thread, &result);
        known += reinterpret_cast<uint64_t>(result);
    }
    EXPECT_GT(known, 0U);
}

}  // namespace
}  // namespace malloom::tests
