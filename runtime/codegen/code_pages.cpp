#include "runtime/codegen/code_pages.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "runtime/platform/memory.h"

namespace malloom::codegen {

namespace {

bool exchange(uintptr_t first, void* copy, size_t size, int protection) {
    return mprotect(copy, size, protection) == 0 && mremap(copy, size, size, MREMAP_MAYMOVE | MREMAP_FIXED,
                                                           reinterpret_cast<void*>(first)) != MAP_FAILED;
}

}  // namespace

bool write_code(uintptr_t address, const unsigned char* bytes, size_t count, int protection) {
    const int saved = errno;
    const size_t page = platform::page_bytes();
    const uintptr_t first = platform::round_down(address, page);
    const size_t size = platform::round_up(address + count, page) - first;
    auto* copy = static_cast<unsigned char*>(platform::map_pages(size));
    bool is_done = false;
    if (copy != nullptr) {
        memcpy(copy, reinterpret_cast<const void*>(first), size);
        memcpy(copy + (address - first), bytes, count);
        is_done = exchange(first, copy, size, protection);
        if (!is_done) {
            platform::unmap_pages(copy, size);
        }
    }
    errno = saved;
    return is_done;
}

}  // namespace malloom::codegen
