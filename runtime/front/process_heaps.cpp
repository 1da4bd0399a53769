#include "runtime/front/process_heaps.h"

#include "runtime/platform/environment.h"
#include "runtime/platform/memory.h"

namespace malloom::front {

namespace {

template <class Heap>
concept OpensPages = heaps::RegionHeap<Heap> && requires { Heap::most_region_bytes; };

/// Of a heap that opens its pages itself. The program needs addresses too, where they are limited.
template <OpensPages Heap>
bool open_over_region(Heap& heap) {
    const size_t share =
        platform::round_down(platform::address_space_limit() / 16, platform::huge_page_bytes);
    const size_t bytes = share < Heap::most_region_bytes ? share : Heap::most_region_bytes;
    void* region = platform::reserve_addresses(bytes, platform::huge_page_bytes);
    return region != nullptr && heap.open(region, bytes);
}

template <heaps::RegionHeap Heap>
[[maybe_unused]] bool open_over_region(Heap& heap) {
    void* region = platform::reserve_pages(ProcessHeaps::region_bytes, platform::huge_page_bytes);
    return region != nullptr && heap.open(region, ProcessHeaps::region_bytes);
}

}  // namespace

const char* ProcessHeaps::open_region_heap([[maybe_unused]] const char* wanted) {
#define KNOWN_HEAP(type, name)
#define HEAP(type, name)                                    \
    if (platform::equals(wanted, #name)) {                  \
        serves_ = open_over_region(name) ? &name : nullptr; \
        return serves_ != nullptr ? #name : nullptr;        \
    }
#include MALLOOM_PROCESS_HEAPS
#undef HEAP
    return nullptr;
}

namespace {

template <class Heap>
[[maybe_unused]] void describe(const Heap& heap, platform::Line& line) {
    if constexpr (requires { heap.describe(line); }) {
        heap.describe(line);
    }
}

}  // namespace

void ProcessHeaps::describe_region([[maybe_unused]] platform::Line& line) const {
#define KNOWN_HEAP(type, name)
#define HEAP(type, name) describe(name, line);
#include MALLOOM_PROCESS_HEAPS
#undef HEAP
}

constinit ProcessHeaps process_heaps;

}  // namespace malloom::front
