// A preloaded library that, in every malloc of a program, compares malloom's walk with glibc's backtrace(),
// reduced.
// At exit it appends one line, "walks agreed", to the file that MALLOOM_AGREEMENT names, and the first chains
// that differ.
#include <dlfcn.h>
#include <execinfo.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <atomic>

#include "runtime/context/call_chain.h"
#include "tests/runtime/context/expected_chain.h"

extern "C" void* __libc_malloc(size_t);
extern "C" void* __libc_calloc(size_t, size_t);

namespace {

using malloom::context::Caller;
using malloom::context::current_caller;
using malloom::context::max_depth;
using malloom::context::walk_call_chain;

// So that the comparison costs minutes, not hours, in programs with many millions of requests.
constexpr unsigned long most_walks = 1'000'000;
constexpr unsigned most_shown = 5;

std::atomic<bool> ready;
std::atomic<unsigned long> walks;
std::atomic<unsigned long> agreed;
thread_local bool busy;

bool same(const uintptr_t* walked, unsigned depth, const ExpectedChain& expected) {
    return depth == expected.count && memcmp(walked, expected.frames, depth * sizeof(uintptr_t)) == 0;
}

void show_chain(int file, const char* title, const uintptr_t* frames, unsigned depth) {
    dprintf(file, "%s", title);
    for (unsigned i = 0; i < depth; ++i) {
        Dl_info info{};
        dladdr(reinterpret_cast<void*>(frames[i]), &info);
        const char* path = info.dli_fname != nullptr ? info.dli_fname : "?";
        dprintf(file, " %s+%lx", path, frames[i] - reinterpret_cast<uintptr_t>(info.dli_fbase));
    }
    dprintf(file, "\n");
}

int open_report() {
    const char* path = getenv("MALLOOM_AGREEMENT");
    return path != nullptr ? open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644) : -1;
}

void show_difference(const uintptr_t* walked, unsigned depth, const ExpectedChain& expected) {
    const int file = open_report();
    if (file < 0) {
        return;
    }
    show_chain(file, "walked  ", walked, depth);
    show_chain(file, "expected", expected.frames, expected.count);
    close(file);
}

[[gnu::noinline]] void compare(const Caller& caller) {
    uintptr_t walked[max_depth];
    void* all[2 * max_depth];
    const unsigned depth = walk_call_chain(caller, max_depth, walked);
    const int found = backtrace(all, 2 * max_depth);
    // Our own frames come first; how many depends on inlining.
    int first = 0;
    while (first < found && reinterpret_cast<uintptr_t>(all[first]) != caller.return_address) {
        ++first;
    }
    ExpectedChain expected;
    expected.reduce(all + first, static_cast<unsigned>(found - first));
    walks.fetch_add(1, std::memory_order_relaxed);
    if (same(walked, depth, expected)) {
        agreed.fetch_add(1, std::memory_order_relaxed);
    } else if (walks.load() - agreed.load() <= most_shown) {
        show_difference(walked, depth, expected);
    }
}

void check(const Caller& caller) {
    if (busy || !ready.load(std::memory_order_relaxed) ||
        walks.load(std::memory_order_relaxed) >= most_walks) {
        return;
    }
    busy = true;
    compare(caller);
    busy = false;
}

// backtrace() loads libgcc_s at its first use, which allocates: so before the first comparison.
[[gnu::constructor]] void start() {
    void* frames[2];
    backtrace(frames, 2);
    ready.store(true);
}

[[gnu::destructor]] void report() {
    ready.store(false);
    const int file = open_report();
    if (file < 0) {
        return;
    }
    dprintf(file, "%lu %lu\n", walks.load(), agreed.load());
    close(file);
}

}  // namespace

extern "C" [[gnu::visibility("default")]] void* malloc(size_t bytes) noexcept {
    check(current_caller());
    return __libc_malloc(bytes);
}

extern "C" [[gnu::visibility("default")]] void* calloc(size_t count, size_t bytes) noexcept {
    check(current_caller());
    return __libc_calloc(count, bytes);
}
