// A program that asks for memory in every way at random, and checks every byte that it got: contents,
// alignment, zeros, errno. Overlapping objects show as contents of another. Run under any heap by
// test_heap_stress.py:
//   heap_stress SEED THREADS OPERATIONS [forks] [interrupts]
// It asks for the same, whatever the heap answers, while it has one thread.
#include <errno.h>
#include <malloc.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <new>
#include <random>
#include <thread>
#include <vector>

namespace {

using Random = std::minstd_rand;

constexpr size_t own_objects = 400;
constexpr size_t shared_objects = 128;
constexpr size_t page = 4096;

// What an object should hold, in its first words, and a byte that repeats from there to its end.
struct Head {
    size_t bytes;
    uint64_t number;
};

[[noreturn]] void fail(const char* what, const void* object, size_t bytes) {
    fprintf(stderr, "heap_stress: %s: object %p of %zu bytes\n", what, object, bytes);
    abort();
}

void require(bool is_so, const char* what, const void* object, size_t bytes) {
    if (!is_so) {
        fail(what, object, bytes);
    }
}

unsigned char pattern_of(const Head& head) {
    return static_cast<unsigned char>(head.number * 31 + head.bytes);
}

// Large ones are looked at here and there.
size_t stride_of(size_t bytes) {
    return bytes < (size_t{1} << 16) ? 1 : 509;
}

std::atomic<uint64_t> numbers{0};

// All bytes that malloc_usable_size promises are the program's.
void fill(void* object) {
    auto* bytes = static_cast<unsigned char*>(object);
    const Head head{malloc_usable_size(object), numbers.fetch_add(1, std::memory_order_relaxed)};
    for (size_t i = sizeof head; i < head.bytes; i += stride_of(head.bytes)) {
        bytes[i] = pattern_of(head);
    }
    bytes[head.bytes - 1] = pattern_of(head);
    memcpy(bytes, &head, sizeof head);
}

void check(const void* object, size_t kept) {
    const auto* bytes = static_cast<const unsigned char*>(object);
    Head head;
    memcpy(&head, bytes, sizeof head);
    const size_t end = kept < head.bytes ? kept : head.bytes;
    for (size_t i = sizeof head; i < end; i += stride_of(head.bytes)) {
        require(bytes[i] == pattern_of(head), "is overwritten", object, head.bytes);
    }
}

void check_whole(const void* object) {
    Head head;
    memcpy(&head, object, sizeof head);
    require(head.bytes == malloc_usable_size(const_cast<void*>(object)), "has another size", object,
            head.bytes);
    check(object, head.bytes);
}

size_t any_size(Random& random) {
    const unsigned kind = random() % 1000;
    const size_t limit = kind < 700 ? 256 : kind < 950 ? 4096 : kind < 995 ? 100'000 : 2'000'000;
    const size_t huge = size_t{16} << 20;
    return kind == 999 && random() % 16 == 0 ? huge - 64 + random() % 128 : 16 + random() % limit;
}

void* zeroed(size_t bytes) {
    auto* object = static_cast<unsigned char*>(calloc(1, bytes));
    for (size_t i = 0; object != nullptr && i < bytes; i += stride_of(bytes)) {
        require(object[i] == 0, "is not zero", object, bytes);
    }
    return object;
}

void* aligned(Random& random, size_t bytes) {
    const size_t alignment = size_t{8} << random() % (random() % 64 == 0 ? 19 : 10);
    void* object = nullptr;
    switch (random() % 4) {
        case 0:
            require(posix_memalign(&object, alignment, bytes) == 0, "is refused", object, bytes);
            break;
        case 1:
            object = aligned_alloc(alignment, bytes);
            break;
        case 2:
            object = memalign(alignment, bytes);
            break;
        default:
            object = operator new(bytes, std::align_val_t(alignment), std::nothrow);
    }
    require(reinterpret_cast<uintptr_t>(object) % alignment == 0, "is not aligned", object, alignment);
    return object;
}

// Its own call site for each way, and chains of different lengths: `through` says how many frames more.
[[gnu::noinline]] void* allocate(Random& random, size_t bytes, unsigned through) {
    if (through > 0) {
        void* object = allocate(random, bytes, through - 1);
        __asm__ volatile("" : : "r"(object) : "memory");  // no tail call
        return object;
    }
    switch (random() % 10) {
        case 0:
            return zeroed(bytes);
        case 1:
            return aligned(random, bytes);
        case 2:
            return realloc(nullptr, bytes);
        case 3:
            return reallocarray(nullptr, 1, bytes);
        case 4:
            return operator new(bytes);
        case 5:
            return operator new[](bytes, std::nothrow);
        case 6:
            return valloc(bytes % page + 16);
        default:
            return malloc(bytes);
    }
}

void* make(Random& random) {
    errno = 77;
    const size_t bytes = any_size(random);
    void* object = allocate(random, bytes, random() % 4);
    require(object != nullptr, "is null", object, bytes);
    require(errno == 77, "set errno", object, bytes);
    require(reinterpret_cast<uintptr_t>(object) % 16 == 0, "is not aligned to 16", object, bytes);
    fill(object);
    return object;
}

void destroy(void* object) {
    if (object == nullptr) {
        return;
    }
    check_whole(object);
    errno = 78;
    free(object);
    require(errno == 78, "set errno when freed", object, 0);
}

void* resize(Random& random, void* object) {
    check_whole(object);
    const size_t bytes = any_size(random);
    void* moved = realloc(object, bytes);
    require(moved != nullptr, "is null after realloc", object, bytes);
    check(moved, bytes);
    fill(moved);
    return moved;
}

std::atomic<void*> exchange[shared_objects];

void operate(Random& random, void*& object) {
    switch (random() % 8) {
        case 0:
        case 1:
        case 2:
            destroy(object);
            object = make(random);
            break;
        case 3:
            destroy(object);
            object = nullptr;
            break;
        case 4:
            object = object == nullptr ? make(random) : resize(random, object);
            break;
        case 5:
        case 6:
            // Into the hands of whichever thread comes next.
            object = exchange[random() % shared_objects].exchange(object);
            break;
        default:
            if (object != nullptr) {
                check_whole(object);
            }
    }
}

void work(unsigned seed, size_t operations) {
    Random random(seed + 1);
    std::vector<void*> objects(own_objects);
    for (size_t i = 0; i < operations; ++i) {
        operate(random, objects[random() % own_objects]);
    }
    for (void* object : objects) {
        destroy(object);
    }
}

// The child finds every shared object whole, and its heap still works.
void fork_once(unsigned seed) {
    const pid_t child = fork();
    if (child == 0) {
        work(seed, 2000);
        _exit(0);
    }
    int status = 0;
    require(waitpid(child, &status, 0) == child && status == 0, "died in a child", nullptr, 0);
}

// The parent's other threads are in the middle of anything meanwhile.
void fork_meanwhile(const std::atomic<bool>& done, unsigned seed) {
    while (!done) {
        fork_once(++seed);
    }
}

std::atomic<unsigned> interruptions{0};

void interrupt_often() {
    struct sigaction action = {};
    action.sa_handler = [](int) { interruptions.fetch_add(1, std::memory_order_relaxed); };
    action.sa_flags = SA_RESTART;
    sigaction(SIGALRM, &action, nullptr);
    const itimerval often = {{0, 200}, {0, 200}};
    setitimer(ITIMER_REAL, &often, nullptr);
}

bool is_asked(int count, char** words, const char* word) {
    for (int i = 4; i < count; ++i) {
        if (strcmp(words[i], word) == 0) {
            return true;
        }
    }
    return false;
}

}  // namespace

int main(int count, char** words) {
    if (count < 4) {
        return 2;
    }
    const auto seed = static_cast<unsigned>(strtoul(words[1], nullptr, 10));
    const auto threads = strtoul(words[2], nullptr, 10);
    const auto operations = strtoul(words[3], nullptr, 10);
    if (is_asked(count, words, "interrupts")) {
        interrupt_often();
    }
    work(seed, operations);
    // In three turns, so that threads end with objects of theirs still alive.
    for (unsigned turn = 0; turn < 3; ++turn) {
        std::vector<std::thread> team;
        for (unsigned i = 1; i < threads; ++i) {
            team.emplace_back(work, seed + 100 * turn + i, operations / 3);
        }
        std::atomic<bool> done = false;
        std::thread forker;
        if (is_asked(count, words, "forks")) {
            forker = std::thread(fork_meanwhile, std::cref(done), seed + turn);
        }
        for (auto& thread : team) {
            thread.join();
        }
        done = true;
        if (forker.joinable()) {
            forker.join();
        }
    }
    for (auto& object : exchange) {
        destroy(object.exchange(nullptr));
    }
    puts("whole");
    return 0;
}
