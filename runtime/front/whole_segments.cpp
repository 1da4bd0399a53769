// mprotect, which mimalloc opens its segments by. It opens them by parts of 1 MiB, as it looks only then
// whether the system has the memory; but where the system makes huge pages unasked, it makes small ones in
// parts, and new memory takes twice as long. So with its first part a whole segment is opened, if the system
// has that.
#include <errno.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "runtime/heaps/fallback/mimalloc_memory.h"

#define MALLOOM_ENTRY extern "C" [[gnu::visibility("default")]]

namespace malloom::front {

namespace {

int protect(void* start, size_t bytes, int protection) {
    return static_cast<int>(syscall(SYS_mprotect, start, bytes, protection));
}

bool open_segment(void* start) {
    const int error = errno;
    const bool is_open = protect(start, heaps::MimallocMemory::segment_bytes, PROT_READ | PROT_WRITE) == 0;
    errno = error;
    return is_open;
}

}  // namespace

}  // namespace malloom::front

MALLOOM_ENTRY int mprotect(void* start, size_t bytes, int protection) {
    using namespace malloom;
    const bool is_opening = protection == (PROT_READ | PROT_WRITE);
    if (is_opening && heaps::mimalloc_memory.opens_whole(start) && front::open_segment(start)) {
        return 0;
    }
    return front::protect(start, bytes, protection);
}
