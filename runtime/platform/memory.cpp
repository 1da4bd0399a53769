#include "runtime/platform/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "runtime/platform/system_calls.h"

namespace malloom::platform {

namespace {

// Kept by value: getauxval is cheap, but a request for alignment asks often.
size_t cached_page_bytes = 0;

// Those who are asked for memory set errno where they have none; here it stays.
void* map_anonymous(size_t bytes, int protection, int extra_flags) {
    if (!may_call_for_memory()) {
        return nullptr;
    }
    const int saved = errno;
    void* start = mmap(nullptr, bytes, protection, MAP_PRIVATE | MAP_ANONYMOUS | extra_flags, -1, 0);
    errno = saved;
    return start == MAP_FAILED ? nullptr : start;
}

void* reserve(size_t bytes, size_t alignment, int protection) {
    const size_t rounded = round_up(bytes, page_bytes());
    // Mappings begin at a page anyway; only more needs room to choose from.
    const size_t span = alignment <= page_bytes() ? rounded : rounded + alignment;
    if (rounded < bytes || span < rounded) {
        return nullptr;
    }
    void* mapped = map_anonymous(span, protection, MAP_NORESERVE);
    if (mapped == nullptr) {
        return nullptr;
    }
    const uintptr_t begin = reinterpret_cast<uintptr_t>(mapped);
    const uintptr_t start = round_up(begin, alignment);
    unmap_pages(mapped, start - begin);
    unmap_pages(reinterpret_cast<void*>(start + rounded), begin + span - start - rounded);
    return reinterpret_cast<void*>(start);
}

// Advice may fail without harm, and must not leave its errno behind. Filters may look at it, and the C
// library's malloc only ever gives pages back.
bool advise(void* start, size_t bytes, int advice) {
    const int saved = errno;
    const bool may = advice == MADV_DONTNEED ? may_call_for_memory() : may_call();
    const bool done = may && madvise(start, bytes, advice) == 0;
    errno = saved;
    return done;
}

// As much as there is room for; no text where it cannot be read. By bare system calls, as the C library's are
// cancellation points and those of malloc must not be. errno stays.
void read_file(const char* path, char* text, size_t room) {
    const int saved = errno;
    const long file = syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC);
    const ssize_t length = file < 0 ? -1 : syscall(SYS_read, file, text, room - 1);
    if (file >= 0) {
        syscall(SYS_close, file);
    }
    text[length < 0 ? 0 : length] = '\0';
    errno = saved;
}

size_t limit_of(__rlimit_resource resource) {
    rlimit limit = {};
    return getrlimit(resource, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY ? SIZE_MAX : limit.rlim_cur;
}

}  // namespace

size_t page_bytes() {
    size_t bytes = __atomic_load_n(&cached_page_bytes, __ATOMIC_RELAXED);
    if (bytes == 0) {
        bytes = getauxval(AT_PAGESZ);
        __atomic_store_n(&cached_page_bytes, bytes, __ATOMIC_RELAXED);
    }
    return bytes;
}

void* map_pages(size_t bytes) {
    const size_t rounded = round_up(bytes, page_bytes());
    return rounded < bytes ? nullptr : map_anonymous(rounded, PROT_READ | PROT_WRITE, 0);
}

void* reserve_pages(size_t bytes, size_t alignment) {
    return reserve(bytes, alignment, PROT_READ | PROT_WRITE);
}

void* reserve_addresses(size_t bytes, size_t alignment) {
    return reserve(bytes, alignment, PROT_NONE);
}

bool open_pages(void* start, size_t bytes) {
    const int saved = errno;
    const bool done = may_call_for_memory() && mprotect(start, bytes, PROT_READ | PROT_WRITE) == 0;
    errno = saved;
    return done;
}

// Kernels that do not know the flag place the mapping elsewhere where others are there.
bool map_pages_at(void* start, size_t bytes, int protection) {
#ifndef MAP_FIXED_NOREPLACE
    constexpr int MAP_FIXED_NOREPLACE = 0x100000;  // Linux 4.17; older headers do not name it
#endif
    constexpr int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE;
    if (!may_call_for_memory()) {
        return false;
    }
    const int saved = errno;
    void* mapped = mmap(start, bytes, protection, flags, -1, 0);
    if (mapped != MAP_FAILED && mapped != start) {
        munmap(mapped, bytes);
    }
    errno = saved;
    return mapped == start;
}

// Where nothing is mapped mprotect fails.
bool open_any_pages(void* start, size_t bytes) {
    return open_pages(start, bytes) || map_pages_at(start, bytes, PROT_READ | PROT_WRITE);
}

void protect_pages(void* start, size_t bytes) {
    const int saved = errno;
    if (may_call_for_memory()) {
        mprotect(start, bytes, PROT_READ);
    }
    errno = saved;
}

size_t address_space_limit() {
    return limit_of(RLIMIT_AS);
}

size_t data_limit() {
    return limit_of(RLIMIT_DATA);
}

bool unmap_pages(void* start, size_t bytes) {
    const int saved = errno;
    const bool done =
        bytes == 0 || (may_call_for_memory() && munmap(start, round_up(bytes, page_bytes())) == 0);
    errno = saved;
    return done;
}

bool discard_pages(void* start, size_t bytes) {
    return advise(start, bytes, MADV_DONTNEED);
}

bool populate_pages(void* start, size_t bytes) {
#ifndef MADV_POPULATE_WRITE
    constexpr int MADV_POPULATE_WRITE = 23;  // Linux 5.14; older headers do not name it
#endif
    return bytes == 0 || advise(start, bytes, MADV_POPULATE_WRITE);
}

void refuse_huge_pages(void* start, size_t bytes) {
    advise(start, bytes, MADV_NOHUGEPAGE);
}

bool gather_huge_page(void* start) {
#ifndef MADV_COLLAPSE
    constexpr int MADV_COLLAPSE = 25;  // Linux 6.1; older headers do not name it
#endif
    advise(start, huge_page_bytes, MADV_HUGEPAGE);
    const bool done = advise(start, huge_page_bytes, MADV_COLLAPSE);
    refuse_huge_pages(start, huge_page_bytes);
    return done;
}

// Refused again at once: a page that was discarded and is touched again would bring 511 others; and the
// kernel makes one mapping of neighbours with the same advice.
bool make_huge_page(void* start) {
    advise(start, huge_page_bytes, MADV_HUGEPAGE);
    const bool done = populate_pages(start, huge_page_bytes);
    refuse_huge_pages(start, huge_page_bytes);
    return done;
}

uint64_t monotonic_nanoseconds() {
    timespec now = {};
    // Where the system does not offer its clock, that is a call.
    if (may_call_for_memory()) {
        clock_gettime(CLOCK_MONOTONIC, &now);
    }
    return static_cast<uint64_t>(now.tv_sec) * 1000000000 + static_cast<uint64_t>(now.tv_nsec);
}

bool huge_pages_are_allowed() {
    // The chosen word is in brackets: always [madvise] never.
    char text[64];
    read_file("/sys/kernel/mm/transparent_hugepage/enabled", text, sizeof text);
    return strstr(text, "[always]") != nullptr || strstr(text, "[madvise]") != nullptr;
}

void prefer_huge_pages(void* start, size_t bytes) {
    const uintptr_t begin = round_up(reinterpret_cast<uintptr_t>(start), huge_page_bytes);
    const uintptr_t end = round_down(reinterpret_cast<uintptr_t>(start) + bytes, huge_page_bytes);
    if (begin < end) {
        advise(reinterpret_cast<void*>(begin), end - begin, MADV_HUGEPAGE);
    }
}

size_t resident_bytes() {
    char text[128];
    read_file("/proc/self/statm", text, sizeof text);
    const char* resident = strchr(text, ' ');
    return resident == nullptr ? 0 : strtoull(resident, nullptr, 10) * page_bytes();
}

// Not getrusage: its peak includes what the process was before it exec'ed the program.
size_t peak_resident_bytes() {
    char text[4096];
    read_file("/proc/self/status", text, sizeof text);
    const char* peak = strstr(text, "VmHWM:");
    return peak == nullptr ? 0 : strtoull(peak + strlen("VmHWM:"), nullptr, 10) * 1024;
}

}  // namespace malloom::platform
