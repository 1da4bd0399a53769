#include "runtime/heaps/fallback/mimalloc_memory.h"

#include <errno.h>
#include <mimalloc.h>
#include <sys/sysinfo.h>

#include "runtime/platform/memory.h"

namespace malloom::heaps {

constinit MimallocMemory mimalloc_memory;

namespace {

// Address space only; what mimalloc does not get from it goes to the C library. Less where the user has
// limited it.
constexpr size_t usual_bytes = size_t{256} << 30;
constexpr size_t least_bytes = size_t{256} << 20;

// Of a limited address space: the rest is for the plan's arena, the C library and the program.
constexpr size_t share_of_limit = 8;

size_t machine_memory() {
    struct sysinfo machine = {};
    return sysinfo(&machine) == 0 ? (machine.totalram + machine.totalswap) * machine.mem_unit : usual_bytes;
}

// Of a whole segment that it opens mimalloc does not look whether the system did so; of parts it does.
// Whatever the user says: it would end the program where memory is short.
void open_by_parts() {
    mi_option_disable(mi_option_eager_commit);
}

// What mimalloc calls when something is wrong: without memory, as malloc has to say it.
void set_errno(int error, void*) {
    errno = error;
}

}  // namespace

bool MimallocMemory::open() {
    if (bytes != 0) {
        return true;
    }
    const size_t allowed = platform::address_space_limit() / share_of_limit;
    const size_t memory = machine_memory();
    const size_t most =
        platform::round_up(memory > usual_bytes / 2 ? 2 * memory : usual_bytes, segment_bytes);
    for (size_t wanted = most; wanted >= least_bytes; wanted /= 2) {
        if (wanted > allowed) {
            continue;
        }
        void* range = platform::reserve_addresses(wanted, segment_bytes);
        if (range == nullptr) {
            continue;
        }
        if (!mi_manage_os_memory(range, wanted, false, false, true, -1)) {
            platform::unmap_pages(range, wanted);
            return false;
        }
        mi_option_enable(mi_option_limit_os_alloc);
        open_by_parts();
        // Otherwise it looks for nodes when it first needs memory, and leaves an errno behind.
        mi_option_set_default(mi_option_use_numa_nodes, 1);
        mi_register_error(set_errno, nullptr);
        base = reinterpret_cast<uintptr_t>(range);
        bytes = wanted;
        is_ample = wanted >= memory;
        is_limited = platform::data_limit() != SIZE_MAX;
        return true;
    }
    return false;
}

}  // namespace malloom::heaps
