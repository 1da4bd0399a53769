#include "runtime/front/process_heaps.h"

#include "runtime/platform/address_span.h"
#include "runtime/platform/environment.h"
#include "runtime/platform/memory.h"

namespace malloom::front {

namespace {

template <class Heap>
concept OpensPages = heaps::RegionHeap<Heap> && requires { Heap::most_region_bytes; };

// It stays for good.
constinit platform::AddressSpan region_span;

/// Of a heap that opens its pages itself: addresses that count nowhere until then; less where they are
/// limited.
template <OpensPages Heap>
bool open_over_region(Heap& heap) {
    constexpr size_t least = size_t{16} << 20;
    for (size_t bytes = Heap::most_region_bytes; bytes >= least; bytes /= 2) {
        if (region_span.open(bytes)) {
            const uintptr_t region = region_span.take(bytes, platform::huge_page_bytes);
            return region != 0 && heap.open(reinterpret_cast<void*>(region), bytes);
        }
    }
    return false;
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
