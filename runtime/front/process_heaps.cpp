#include "runtime/front/process_heaps.h"

#include "runtime/platform/environment.h"
#include "runtime/platform/memory.h"

namespace malloom::front {

namespace {

template <heaps::RegionHeap Heap>
[[maybe_unused]] bool open_over_region(Heap& heap) {
    void* region = platform::reserve_pages(ProcessHeaps::region_bytes, platform::huge_page_bytes);
    return region != nullptr && heap.open(region, ProcessHeaps::region_bytes);
}

}  // namespace

bool ProcessHeaps::open_region_heap([[maybe_unused]] const char* wanted) {
#define KNOWN_HEAP(type, name)
#define HEAP(type, name)                   \
    if (platform::equals(wanted, #name)) { \
        return open_over_region(name);     \
    }
#include MALLOOM_PROCESS_HEAPS
#undef HEAP
    return false;
}

constinit ProcessHeaps process_heaps;

}  // namespace malloom::front
