#include "runtime/context/table_memory.h"

#include <errno.h>
#include <sys/mman.h>

namespace malloom::context {

void* table_memory(size_t bytes) {
    const int saved = errno;
    void* memory =
        mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    errno = saved;
    return memory != MAP_FAILED ? memory : nullptr;
}

}  // namespace malloom::context
