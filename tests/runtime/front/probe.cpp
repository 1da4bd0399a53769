// A program that asks for memory in known ways, run with libmalloom.so preloaded by preload_test.cpp.
//   probe hashes             the hash of its executable and of the context (depth 1, then 2) of its one call
//   site probe objects N BYTES    N objects at that call site, all alive; then frees them; "adjacent K": K
//   follow the one before probe cycle N BYTES      N times one object
//   probe sparse N BYTES     N objects, of which 63 of 64 are freed at once
//   probe left MIB     fills so much in objects of 64 KiB and frees them; prints how many MiB stay resident
//   probe smaps MIB    fills so much in objects of 4 KiB; prints what the kernel says of its mappings then
//   probe limited BYTES ALIGNMENT     limits its own data, takes such objects until there are no more, gives
//   them back and takes one again
//   probe exhaust BYTES ALIGNMENT     the same within the limits that it is started with
//   probe forks N       forks while eight threads allocate; each child does too, and starts a thread that
//   does; prints how many of them were well, and whether the kernel may give any of them huge pages
//   threads|fork|signal|exec|quick_exit|invalid|errno|opened|one; opened prints how many MiB around an object
//   can be written
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <new>
#include <vector>

#include "runtime/context/call_chain.h"
#include "runtime/context/modules.h"

// Compilers differ in how they are kept from inlining a function and from calling copies of it.
#ifdef __clang__
#define MALLOOM_AS_WRITTEN [[clang::noinline, clang::optnone]]
#else
#define MALLOOM_AS_WRITTEN [[gnu::noipa]]
#endif

namespace {

using Allocate = void* (*)(size_t);

// The one call site: whichever function is called from here sees the same return address. Not a tail call, so
// that the site is in this function, and this function's caller in the chain.
MALLOOM_AS_WRITTEN void* at_site(Allocate allocate, size_t bytes) {
    void* object = allocate(bytes);
    __asm__ volatile("" : : "r"(object) : "memory");
    return object;
}

unsigned wanted_depth = 1;

MALLOOM_AS_WRITTEN void* hash_of_caller(size_t) {
    uintptr_t frames[malloom::context::max_depth];
    const unsigned depth =
        malloom::context::walk_call_chain(malloom::context::current_caller(), wanted_depth, frames);
    return reinterpret_cast<void*>(malloom::context::stable_hash(frames, depth));
}

// One frame more, the same for the hashes and for the requests.
MALLOOM_AS_WRITTEN void* through_caller(Allocate allocate, size_t bytes) {
    void* object = at_site(allocate, bytes);
    __asm__ volatile("" : : "r"(object) : "memory");
    return object;
}

int print_hashes() {
    printf("%llu", static_cast<unsigned long long>(malloom::context::find_module(getauxval(AT_ENTRY))->hash));
    for (wanted_depth = 1; wanted_depth <= 2; ++wanted_depth) {
        printf(" %llu", static_cast<unsigned long long>(
                            reinterpret_cast<uintptr_t>(through_caller(hash_of_caller, 0))));
    }
    printf("\n");
    return 0;
}

int make_objects(size_t count, size_t bytes) {
    std::vector<char*> objects(count);
    for (auto& object : objects) {
        object = static_cast<char*>(through_caller(malloc, bytes));
        memset(object, 1, bytes);
    }
    size_t adjacent = 0;
    for (size_t i = 1; i < count; ++i) {
        adjacent += objects[i] == objects[i - 1] + (bytes + 15) / 16 * 16;
    }
    for (char* object : objects) {
        free(object);
    }
    printf("adjacent %zu\n", adjacent);
    return 0;
}

int cycle(size_t count, size_t bytes) {
    void* objects[64] = {};
    for (size_t i = 0; i < count; ++i) {
        void*& object = objects[i % 64];
        free(object);
        object = through_caller(malloc, bytes);
    }
    return 0;
}

int keep_few(size_t count, size_t bytes) {
    std::vector<void*> kept;
    for (size_t i = 0; i < count; ++i) {
        void* object = through_caller(malloc, bytes);
        if (i % 64 == 0) {
            kept.push_back(object);
        } else {
            free(object);
        }
    }
    for (void* object : kept) {
        free(object);
    }
    return 0;
}

int print_smaps(size_t mebibytes) {
    std::vector<void*> objects((mebibytes << 20) / 4096);
    for (void*& object : objects) {
        object = malloc(4096);
        memset(object, 1, 4096);
    }
    FILE* maps = fopen("/proc/self/smaps", "r");
    char line[4096];
    while (maps != nullptr && fgets(line, sizeof line, maps) != nullptr) {
        fputs(line, stdout);
    }
    return maps != nullptr ? 0 : 1;
}

int print_left(size_t mebibytes) {
    constexpr size_t bytes = size_t{64} << 10;
    std::vector<void*> objects((mebibytes << 20) / bytes);
    for (void*& object : objects) {
        object = malloc(bytes);
        memset(object, 1, bytes);
    }
    for (void* object : objects) {
        free(object);
    }
    unsigned long all = 0;
    unsigned long resident = 0;
    FILE* counts = fopen("/proc/self/statm", "r");
    const bool is_read = counts != nullptr && fscanf(counts, "%lu %lu", &all, &resident) == 2;
    return is_read ? printf("%lu\n", resident * static_cast<unsigned long>(getpagesize()) >> 20) < 0 : 1;
}

void* churn(void* seed) {
    auto random = static_cast<unsigned>(reinterpret_cast<uintptr_t>(seed));
    std::vector<std::pair<unsigned char*, size_t>> objects(100);
    for (int step = 0; step < 20000; ++step) {
        random = random * 1103515245 + 12345;
        auto& [object, bytes] = objects[random / 65536 % objects.size()];
        if (object != nullptr) {
            if (object[0] != bytes % 251 || object[bytes - 1] != bytes % 251) {
                abort();
            }
            free(object);
        }
        bytes = 1 + random / 256 % 600;
        object = static_cast<unsigned char*>(through_caller(malloc, bytes));
        memset(object, static_cast<int>(bytes % 251), bytes);
    }
    for (auto& [object, bytes] : objects) {
        free(object);
    }
    return nullptr;
}

int run_threads() {
    pthread_t threads[50];
    for (uintptr_t i = 0; i < 50; ++i) {
        pthread_create(&threads[i], nullptr, churn, reinterpret_cast<void*>(i + 1));
    }
    for (pthread_t thread : threads) {
        pthread_join(thread, nullptr);
    }
    return puts("threads done") < 0;
}

int run_fork() {
    pthread_t thread;
    pthread_create(&thread, nullptr, churn, reinterpret_cast<void*>(uintptr_t{1}));
    for (int i = 0; i < 20; ++i) {
        const pid_t child = fork();
        if (child == 0) {
            churn(reinterpret_cast<void*>(static_cast<uintptr_t>(i)));
            _exit(7);
        }
        int status = 0;
        waitpid(child, &status, 0);
        if (!WIFEXITED(status) || WEXITSTATUS(status) != 7) {
            return 1;
        }
    }
    pthread_join(thread, nullptr);
    return puts("fork done") < 0;
}

volatile bool must_end = false;

// Sizes up to those for which mimalloc takes memory from what all threads share, again and again.
void take_some(unsigned random, int steps) {
    void* objects[64] = {};
    for (int step = 0; step < steps && !must_end; ++step) {
        random = random * 1103515245 + 12345;
        void*& object = objects[random / 65536 % 64];
        free(object);
        const size_t bytes = size_t{16} << (random / 256 % 14);
        object = malloc(bytes);
        memset(object, 1, 16);
    }
    for (void* object : objects) {
        free(object);
    }
}

// Threads that end leave their pages to others.
void* allocate_on(void* seed) {
    while (!must_end) {
        pthread_t thread;
        const auto some = [](void* random) -> void* {
            take_some(static_cast<unsigned>(reinterpret_cast<uintptr_t>(random)), 500);
            return nullptr;
        };
        pthread_create(&thread, nullptr, some, seed);
        take_some(static_cast<unsigned>(reinterpret_cast<uintptr_t>(seed)), 500);
        pthread_join(thread, nullptr);
    }
    return nullptr;
}

// Ends with the number of huge pages' prohibitions; by a signal where it would wait for ever.
[[noreturn]] void be_child(unsigned seed) {
    alarm(60);
    take_some(seed, 300);
    pthread_t thread;
    const auto some = [](void*) -> void* {
        take_some(1, 300);
        return nullptr;
    };
    pthread_create(&thread, nullptr, some, nullptr);
    pthread_join(thread, nullptr);
    take_some(seed + 1, 300);
    _exit(prctl(PR_GET_THP_DISABLE, 0, 0, 0, 0));
}

int run_forks(unsigned count) {
    pthread_t threads[8];
    for (uintptr_t i = 0; i < 8; ++i) {
        pthread_create(&threads[i], nullptr, allocate_on, reinterpret_cast<void*>(i + 1));
    }
    unsigned well = 0;
    for (unsigned i = 0; i < count; ++i) {
        const pid_t child = fork();
        if (child == 0) {
            be_child(i);
        }
        int status = 0;
        waitpid(child, &status, 0);
        well += WIFEXITED(status) && WEXITSTATUS(status) == 0;
    }
    must_end = true;
    for (pthread_t thread : threads) {
        pthread_join(thread, nullptr);
    }
    return printf("%u of %u were well\n", well, count) < 0;
}

// What the handler asks for and frees are its own objects; the main program may be anywhere in malloc.
// Planned requests only: the C library and mimalloc make no such promise.
volatile sig_atomic_t handled = 0;
void on_signal(int) {
    void* object = through_caller(malloc, 48);
    memset(object, 2, 48);
    free(object);
    handled = handled + 1;
}

int run_signal() {
    signal(SIGALRM, on_signal);
    const itimerval every = {{0, 200}, {0, 200}};
    setitimer(ITIMER_REAL, &every, nullptr);
    std::vector<unsigned char*> objects(64);
    for (unsigned step = 0; step < 400000 || handled <= 10; ++step) {
        unsigned char*& object = objects[step * 7 % objects.size()];
        if (object != nullptr && (object[0] != 1 || object[47] != 1)) {
            abort();
        }
        free(object);
        object = static_cast<unsigned char*>(through_caller(malloc, 48));
        memset(object, 1, 48);
    }
    const itimerval never = {};
    setitimer(ITIMER_REAL, &never, nullptr);
    return puts("signal done") < 0;
}

// What only libmalloom.so promises: the C library leaves ENOMEM behind.
int fail_posix_memalign() {
    void* object = nullptr;
    volatile size_t huge = SIZE_MAX;
    errno = 5;
    return posix_memalign(&object, 64, huge) == ENOMEM && errno == 5 ? puts("errno kept") < 0 : 1;
}

int write_past(size_t bytes, bool is_reallocated) {
    auto* object = static_cast<char*>(through_caller(malloc, 40));
    memset(object, 1, 40 + bytes);
    if (is_reallocated) {
        return realloc(object, 0) != nullptr;
    }
    free(object);
    return 0;
}

struct Taken {
    Taken* before;
};

void give_back(Taken* all) {
    while (all != nullptr) {
        Taken* before = all->before;
        free(all);
        all = before;
    }
}

void* take(size_t bytes, size_t alignment) {
    errno = 0;
    return alignment == 0 ? malloc(bytes) : aligned_alloc(alignment, bytes);
}

// Bytes of objects that there were until none was left; 0 where that was not said, or where giving all back
// did not help. Of each the first `touched` bytes are written.
size_t exhaust(size_t bytes, size_t alignment, size_t touched) {
    Taken* all = nullptr;
    size_t taken = 0;
    while (void* object = take(bytes, alignment)) {
        memset(object, 1, touched);
        all = new (object) Taken{all};
        taken += bytes;
    }
    const bool is_said = errno == ENOMEM;
    give_back(all);
    void* again = take(bytes, alignment);
    free(again);
    return is_said && again != nullptr ? taken : 0;
}

int exhaust_own_limit(size_t bytes, size_t alignment) {
    const rlimit limit = {rlim_t{100} << 20, rlim_t{100} << 20};
    if (setrlimit(RLIMIT_DATA, &limit) != 0) {
        return 1;
    }
    const size_t taken = exhaust(bytes, alignment, bytes);
    return taken > size_t{30} << 20 && taken < size_t{100} << 20 ? puts("limited done") < 0 : 1;
}

int exhaust_given_limit(size_t bytes, size_t alignment) {
    return printf("%zu\n", exhaust(bytes, alignment, sizeof(Taken)) >> 20) < 0;
}

int print_opened() {
    const auto object = reinterpret_cast<unsigned long>(malloc(5000));
    unsigned long start = 0;
    unsigned long end = 0;
    FILE* mappings = fopen("/proc/self/maps", "r");
    if (mappings == nullptr) {
        return 1;
    }
    while (object - start >= end - start && fscanf(mappings, "%lx-%lx%*[^\n]", &start, &end) == 2) {
    }
    fclose(mappings);
    return printf("%lu\n", (end - start) >> 20) < 0;
}

int make_one_object() {
    free(through_caller(malloc, 48));
    return puts("one done") < 0;
}

}  // namespace

int main(int count, char** words) {
    const char* what = count > 1 ? words[1] : "";
    const auto number = [&](int i) { return count > i ? strtoul(words[i], nullptr, 10) : 0; };
    if (strcmp(what, "hashes") == 0) return print_hashes();
    if (strcmp(what, "objects") == 0) return make_objects(number(2), number(3));
    if (strcmp(what, "cycle") == 0) return cycle(number(2), number(3));
    if (strcmp(what, "smaps") == 0) return print_smaps(number(2));
    if (strcmp(what, "left") == 0) return print_left(number(2));
    if (strcmp(what, "sparse") == 0) return keep_few(number(2), number(3));
    if (strcmp(what, "threads") == 0) return run_threads();
    if (strcmp(what, "fork") == 0) return run_fork();
    if (strcmp(what, "signal") == 0) return run_signal();
    if (strcmp(what, "errno") == 0) return fail_posix_memalign();
    if (strcmp(what, "limited") == 0) return exhaust_own_limit(number(2), number(3));
    if (strcmp(what, "exhaust") == 0) return exhaust_given_limit(number(2), number(3));
    if (strcmp(what, "forks") == 0) return run_forks(static_cast<unsigned>(number(2)));
    if (strcmp(what, "opened") == 0) return print_opened();
    if (strcmp(what, "one") == 0) return make_one_object();
    if (strcmp(what, "past") == 0) return write_past(number(2), number(3) != 0);
    if (strcmp(what, "invalid") == 0) {
        // By an integer, or the compiler would warn of it.
        volatile auto inside = reinterpret_cast<uintptr_t>(through_caller(malloc, 48)) + 16;
        free(reinterpret_cast<void*>(inside));
    }
    if (strcmp(what, "quick_exit") == 0) quick_exit(0);
    if (strcmp(what, "exec") == 0) return execl(words[0], words[0], "one", nullptr);
    return 2;
}
