#include "record/stream/guarded_mapping.h"

#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <mutex>

namespace malloom::stream {

namespace {

constexpr size_t most_mappings = 64;

/// Zero where none is. The handler only reads them.
struct Range {
    std::atomic<uintptr_t> begin = 0;
    std::atomic<uintptr_t> end = 0;
};
Range ranges[most_mappings];
struct sigaction before;
std::once_flag is_installed;

bool is_guarded(uintptr_t address) {
    for (const Range& range : ranges) {
        if (address >= range.begin.load() && address < range.end.load()) return true;
    }
    return false;
}

void on_bus_error(int signal, siginfo_t* what, void*) {
    const int saved = errno;
    const auto page = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
    const auto address = reinterpret_cast<uintptr_t>(what->si_addr);
    void* const start = reinterpret_cast<void*>(address & ~(page - 1));
    constexpr int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED;
    if (!is_guarded(address) || mmap(start, page, PROT_READ, flags, -1, 0) == MAP_FAILED) {
        sigaction(signal, &before, nullptr);  // the instruction runs again, and then it is the other's
    }
    errno = saved;
}

void install() {
    struct sigaction action = {};
    action.sa_sigaction = on_bus_error;
    action.sa_flags = SA_SIGINFO | SA_NODEFER;
    sigaction(SIGBUS, &action, &before);
}

bool guard(uintptr_t begin, uintptr_t end) {
    std::call_once(is_installed, install);
    for (Range& range : ranges) {
        uintptr_t none = 0;
        if (range.begin.compare_exchange_strong(none, begin)) {
            range.end = end;
            return true;
        }
    }
    errno = EMFILE;
    return false;
}

void forget(uintptr_t begin) {
    for (Range& range : ranges) {
        if (range.begin.load() == begin) {
            range.end = 0;
            range.begin = 0;
        }
    }
}

}  // namespace

GuardedMapping::~GuardedMapping() {
    if (data_ == nullptr) return;
    forget(reinterpret_cast<uintptr_t>(data_));
    munmap(const_cast<unsigned char*>(data_), bytes_);
}

bool GuardedMapping::open(int descriptor, size_t bytes) {
    void* const start = mmap(nullptr, bytes, PROT_READ, MAP_PRIVATE, descriptor, 0);
    if (start == MAP_FAILED) return false;
    const auto begin = reinterpret_cast<uintptr_t>(start);
    if (!guard(begin, begin + bytes)) {
        munmap(start, bytes);
        errno = EMFILE;
        return false;
    }
    data_ = static_cast<const unsigned char*>(start);
    bytes_ = bytes;
    return true;
}

}  // namespace malloom::stream
