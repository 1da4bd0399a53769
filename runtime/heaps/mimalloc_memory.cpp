#include "runtime/heaps/mimalloc_memory.h"

#include <mimalloc.h>

#include "runtime/platform/memory.h"

namespace malloom::heaps {

constinit MimallocMemory mimalloc_memory;

namespace {

// mimalloc's segments: 32 MiB, aligned to their size.
constexpr size_t segment_bytes = size_t{32} << 20;

// Address space only; what mimalloc does not get from it goes to the C library. Less where the user has
// limited it.
constexpr size_t most_bytes = size_t{256} << 30;
constexpr size_t least_bytes = size_t{256} << 20;

}  // namespace

bool MimallocMemory::open() {
    if (bytes != 0) {
        return true;
    }
    for (size_t wanted = most_bytes; wanted >= least_bytes; wanted /= 4) {
        void* range = platform::reserve_pages(wanted, segment_bytes);
        if (range == nullptr) {
            continue;
        }
        if (!mi_manage_os_memory(range, wanted, false, false, true, -1)) {
            platform::unmap_pages(range, wanted);
            return false;
        }
        mi_option_enable(mi_option_limit_os_alloc);
        base = reinterpret_cast<uintptr_t>(range);
        bytes = wanted;
        return true;
    }
    return false;
}

}  // namespace malloom::heaps
