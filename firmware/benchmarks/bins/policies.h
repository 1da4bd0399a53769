// The heaps that the shipped one is compared with: of the same parts, with other policies.
#pragma once

#include "runtime/codegen/bins/table_functions.h"
#include "runtime/heaps/bins/bin_heap.h"

namespace malloom::bench::bins {

/// The paper's heap: it looks at one bin after the other (Lhuillier and Courousse, 2.1).
struct ScanningPolicy {
    static constexpr bool counts = true;
    [[gnu::always_inline]] static unsigned bin_of(const malloom_bins& heap, size_t bytes) {
        return heap.function(bytes, &heap);
    }
    [[gnu::always_inline]] static unsigned next_filled(heaps::bins::FreeLists& lists,
                                                       const malloom_bins& heap, unsigned bin) {
        while (bin < heap.bins && lists.ring(bin)->next == lists.ring(bin)) {
            ++bin;
        }
        return bin;
    }
};

/// The shipped heap with dlmalloc's bins alone, which no call leads to, and without counters.
struct CompiledInPolicy {
    static constexpr bool counts = false;
    [[gnu::always_inline]] static unsigned bin_of(const malloom_bins&, size_t bytes) {
        return codegen::bins::original_bin(bytes);
    }
    [[gnu::always_inline]] static unsigned next_filled(heaps::bins::FreeLists& lists, const malloom_bins&,
                                                       unsigned bin) {
        return lists.next_filled(bin);
    }
};

/// malloom_bins_alloc with another policy.
template <class Policy>
[[gnu::noinline]] void* allocate(malloom_bins* heap, size_t bytes) {
    heaps::bins::BinHeap<Policy> call(*heap);
    call.release_deferred();
    void* object = call.allocate(bytes);
    if (object == nullptr) [[unlikely]] {
        return call.fail(MALLOOM_BINS_NO_MEMORY, bytes);
    }
    call.trace(object, bytes);
    return object;
}

/// malloom_bins_free with another policy; `judges` whether the address is an object's.
template <class Policy, bool judges>
[[gnu::noinline]] void release(malloom_bins* heap, void* object) {
    heaps::bins::BinHeap<Policy> call(*heap);
    call.release_deferred();
    size_t level = 0;
    if (judges) {
        const heaps::bins::Region* region = heaps::bins::region_of(*heap, object);
        const malloom_bins_result wrong = heaps::bins::judge(*heap, region, object);
        if (wrong != MALLOOM_BINS_OK) [[unlikely]] {
            call.fail(wrong, reinterpret_cast<uintptr_t>(object));
            return;
        }
        level = region->level;
    }
    call.release(object, level);
    call.trace(object, 0);
}

}  // namespace malloom::bench::bins
