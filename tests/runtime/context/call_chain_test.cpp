// Chains against glibc's backtrace(), reduced, frame for frame.
#include "runtime/context/call_chain.h"

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <random>
#include <thread>
#include <utility>
#include <vector>

#include "tests/amount.h"
#include "tests/runtime/context/chain_probe.h"
#include "tests/runtime/context/chain_shapes.h"

namespace {

using malloom::context::Caller;
using malloom::context::max_depth;
using malloom::context::walk_call_chain;

struct ShapeSet {
    const char* name;
    int (*plain)(int);
    int (*recursive)(int);
    int (*branching)(int);
    int (*alternating)(int);
    int (*variadic)(int, ...);
    int (*variable_frame)(int);
    int (*large_frame)(int);
    int (*aligned_frame)(int);
    int (*through_qsort)(int);
    int (*through_virtual_call)(int);
    int (*through_lambda)(int);
    int (*through_many_saved_registers)(int);
};

#define SHAPE_SET(set)                                                                        \
    ShapeSet {                                                                                \
        #set, set::plain, set::recursive, set::branching, set::alternating, set::variadic,    \
            set::variable_frame, set::large_frame, set::aligned_frame, set::through_qsort,    \
            set::through_virtual_call, set::through_lambda, set::through_many_saved_registers \
    }

class Shapes : public testing::TestWithParam<ShapeSet> {};

TEST_P(Shapes, Agree) {
    const ShapeSet& set = GetParam();
    set.plain(1);
    expect_agreement(6);
    set.recursive(5);
    expect_agreement(7);
    set.variadic(3, 1, 2, 3);
    expect_agreement(6);
    for (int bytes : {1, 100, 5000, 300000}) {
        set.variable_frame(bytes);
        expect_agreement(6);
    }
    set.large_frame(7);
    expect_agreement(6);
    set.aligned_frame(7);
    expect_agreement(6);
    set.through_virtual_call(7);
    expect_agreement(7);
    set.through_lambda(7);
    expect_agreement(7);
    set.through_many_saved_registers(7);
    expect_agreement(6);
}

// Each path through the recursion is a chain of its own on the stack: of the alternating one there are
// four to the power of its depth.
TEST_P(Shapes, OfRecursionHaveFewChains) {
    last_chains.collects = true;
    const std::pair<int (*)(int), int> shapes[] = {
        {GetParam().branching, 8}, {GetParam().alternating, malloom::tests::does_all() ? 8 : 6}};
    for (const auto& [shape, deep] : shapes) {
        last_chains.distinct.clear();
        shape(5);
        expect_agreement(2);
        EXPECT_LE(last_chains.distinct.size(), 32U);
        shape(deep);
        expect_agreement(2);
        EXPECT_LE(last_chains.distinct.size(), 64U);
    }
    last_chains.collects = false;
}

// Where more frames would have to be left out than a walk does, the chain ends.
TEST_P(Shapes, OfDeepRecursionEndInIt) {
    GetParam().recursive(100);
    expect_agreement(2);
    EXPECT_EQ(last_chains.walked.size(), 2U);
}

TEST_P(Shapes, AgreeThroughTheCLibrary) {
    GetParam().through_qsort(10);
    expect_agreement(8);
}

TEST_P(Shapes, AgreeInThreads) {
    std::vector<std::thread> threads;
    threads.reserve(32);
    for (int i = 0; i < 32; ++i) {
        threads.emplace_back([i] {
            for (int round = 0; round < 20; ++round) {
                GetParam().recursive(i);
                expect_agreement(i <= 8 ? 4 : 2);
            }
        });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
}

INSTANTIATE_TEST_SUITE_P(Compiled, Shapes,
                         testing::Values(SHAPE_SET(shapes_o0), SHAPE_SET(shapes_o2), SHAPE_SET(shapes_o3),
                                         SHAPE_SET(shapes_frame_pointer)),
                         [](const auto& set) { return set.param.name; });

TEST(CallChain, DepthOneIsTheReturnAddress) {
    uintptr_t frame = 0;
    EXPECT_EQ(walk_call_chain(Caller{42, 0, 0}, 1, &frame), 1U);
    EXPECT_EQ(frame, 42U);
    EXPECT_EQ(walk_call_chain(Caller{42, 0, 0}, 0, &frame), 0U);
}

TEST(CallChain, KeepsErrno) {
    errno = 4711;
    shapes_o2::recursive(30);
    errno = 4711;
    uintptr_t frames[max_depth];
    walk_call_chain(malloom::context::current_caller(), max_depth, frames);
    EXPECT_EQ(errno, 4711);
}

using CallBack = int (*)(void (*)());

TEST(CallChain, AgreesThroughALoadedLibrary) {
    void* library = dlopen(CHAIN_LIBRARY, RTLD_NOW);
    ASSERT_NE(library, nullptr) << dlerror();
    EXPECT_EQ(reinterpret_cast<CallBack>(dlsym(library, "call_back"))(chain_probe), 1);
    expect_agreement(6);
    dlclose(library);
}

// The loader likes to reuse the place; where it does, rules of the first library must not outlive it for
// long.
TEST(CallChain, AgreesAfterAnotherLibraryTookThePlace) {
    for (int round = 0; round < 4; ++round) {
        void* library = dlopen(round % 2 == 0 ? CHAIN_LIBRARY : CHAIN_LIBRARY_TWIN_PATH, RTLD_NOW);
        ASSERT_NE(library, nullptr) << dlerror();
        reinterpret_cast<CallBack>(dlsym(library, "call_back"))(chain_probe);
        expect_agreement(6);
        dlclose(library);
    }
}

volatile sig_atomic_t signals_taken;

void probe_in_handler(int) {
    chain_probe();
    signals_taken = signals_taken + 1;  // so that the call above does not become a jump
}

// The kernel's frame ends malloom's chain; up to there it is backtrace()'s.
TEST(CallChain, AgreesInASignalHandlerUpToTheSignal) {
    struct sigaction action{};
    struct sigaction before{};
    chain_probe();
    action.sa_handler = probe_in_handler;
    sigaction(SIGUSR1, &action, &before);
    raise(SIGUSR1);
    sigaction(SIGUSR1, &before, nullptr);
    ASSERT_GE(last_chains.walked.size(), 2U);
    ASSERT_GE(last_chains.expected.size(), last_chains.walked.size());
    last_chains.expected.resize(last_chains.walked.size());
    expect_agreement(2);
}

TEST(CallChain, WalksOnAnAlternateSignalStack) {
    std::vector<char> memory(1 << 16);
    stack_t stack{};
    stack.ss_sp = memory.data();
    stack.ss_size = memory.size();
    sigaltstack(&stack, nullptr);
    struct sigaction action{};
    struct sigaction before{};
    chain_probe();
    action.sa_handler = probe_in_handler;
    action.sa_flags = SA_ONSTACK;
    sigaction(SIGUSR1, &action, &before);
    raise(SIGUSR1);
    sigaction(SIGUSR1, &before, nullptr);
    stack.ss_flags = SS_DISABLE;
    sigaltstack(&stack, nullptr);
    EXPECT_GE(last_chains.walked.size(), 2U);
}

ucontext_t main_context;
ucontext_t coroutine_context;

void coroutine() {
    shapes_o2::recursive(3);
    swapcontext(&coroutine_context, &main_context);
}

// The stack ends right below a page that nobody can read.
TEST(CallChain, AgreesInACoroutine) {
    const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
    const size_t bytes = 16 * page;
    auto* stack = static_cast<char*>(
        mmap(nullptr, bytes + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    ASSERT_NE(stack, MAP_FAILED);
    ASSERT_EQ(mprotect(stack + bytes, page, PROT_NONE), 0);
    getcontext(&coroutine_context);
    coroutine_context.uc_stack.ss_sp = stack;
    coroutine_context.uc_stack.ss_size = bytes;
    coroutine_context.uc_link = &main_context;
    makecontext(&coroutine_context, coroutine, 0);
    swapcontext(&main_context, &coroutine_context);
    expect_agreement(4);
    munmap(stack, bytes + page);
}

// A real caller's registers, with what they say replaced by anything: the walk may find nonsense, but it must
// come back.
TEST(CallChain, SurvivesAnyRegisters) {
    std::mt19937_64 random(1);
    const Caller real = malloom::context::current_caller();
    std::vector<uintptr_t> known = last_chains.expected;
    shapes_o2::recursive(20);
    known.insert(known.end(), last_chains.expected.begin(), last_chains.expected.end());
    uintptr_t frames[max_depth];
    for (int i = 0; i < 200000; ++i) {
        Caller caller = real;
        caller.return_address = known[random() % known.size()] + (random() % 4 == 0 ? random() % 64 : 0);
        if (random() % 8 == 0) {
            caller.return_address = random() >> (random() % 64);
        }
        caller.frame_pointer = random() % 2 == 0
                                   ? random() >> (random() % 64)
                                   : real.stack_pointer + (random() >> (random() % 64)) % (1 << 24);
        if (random() % 2 == 0) {
            caller.stack_pointer = real.stack_pointer - 512 + random() % 1024;
        }
        const unsigned depth = walk_call_chain(caller, max_depth, frames);
        ASSERT_GE(depth, 1U);
        ASSERT_LE(depth, max_depth);
    }
}

// A copy of a stack with words overwritten, right below an unreadable page, walked as if it were one.
TEST(CallChain, SurvivesASmashedStack) {
    const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
    auto* copy = static_cast<unsigned char*>(
        mmap(nullptr, 3 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    ASSERT_NE(copy, MAP_FAILED);
    ASSERT_EQ(mprotect(copy + 2 * page, page, PROT_NONE), 0);
    shapes_o2::recursive(20);
    const std::vector<uintptr_t> known = last_chains.expected;
    std::mt19937_64 random(2);
    uintptr_t frames[max_depth];
    auto* words = reinterpret_cast<uintptr_t*>(copy);
    const size_t count = 2 * page / sizeof(uintptr_t);
    for (int round = 0; round < 20000; ++round) {
        for (size_t i = 0; i < 64; ++i) {
            const auto place = reinterpret_cast<uintptr_t>(words + random() % count);
            words[random() % count] = random() % 4 == 0 ? place : known[random() % known.size()];
        }
        const auto start = reinterpret_cast<uintptr_t>(words + 1 + random() % (count - 1));
        const Caller caller{known[random() % known.size()], start, start + 8 * (random() % 512)};
        ASSERT_LE(walk_call_chain(caller, max_depth, frames), max_depth);
    }
    munmap(copy, 3 * page);
}

}  // namespace
