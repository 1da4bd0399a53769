// The heaps that the shipped one is compared with: of the same parts, with other policies.
#pragma once

#include "runtime/heaps/bins/bin_heap.h"

namespace malloom::bench::bins {

/// The paper's heap: it looks at one bin after the other (Lhuillier and Courousse, 2.1).
struct ScanningPolicy : heaps::bins::ShippedPolicy {
    static constexpr bool samples = false;
    static constexpr bool leaves_rest_in_list = false;
    [[gnu::always_inline]] static unsigned next_filled(heaps::bins::FreeLists& lists,
                                                       const malloom_bins& heap, unsigned bin) {
        while (bin < heap.bins && lists.ring(bin)->next == lists.ring(bin)) {
            ++bin;
        }
        return bin < heap.bins ? bin : heaps::bins::no_bin;
    }
};

/// The same without counters, where bins are laid out by what lies in the heap.
struct WalkedScanningPolicy : ScanningPolicy {
    static constexpr bool counts = false;
};

/// The same where one of so many objects that are given back is counted.
struct SampledScanningPolicy : WalkedScanningPolicy {
    static constexpr bool samples = true;
};

/// dlmalloc's bins through the instance's function, without counters.
struct PointerPolicy : heaps::bins::ShippedPolicy {
    static constexpr bool counts = false;
};

/// malloom_bins_alloc with another policy, of a heap that needs no general calls.
template <class Policy>
[[gnu::noinline]] void* allocate(malloom_bins* heap, size_t bytes) {
    const bool may_be = heaps::bins::calls_of(*heap) != heaps::bins::general_calls;
    return may_be ? heaps::bins::make<Policy>(*heap, bytes) : nullptr;
}

/// malloom_bins_free with another policy; `judges` whether the address is an object's.
template <class Policy, bool judges>
[[gnu::noinline]] void release(malloom_bins* heap, void* object) {
    if (heaps::bins::calls_of(*heap) == heaps::bins::general_calls) [[unlikely]] {
        return;
    }
    if constexpr (judges) {
        heaps::bins::release<Policy, false>(*heap, object);
    } else {
        heaps::bins::BinHeap<Policy, false, Policy::samples>(*heap).release(object, 0);
    }
}

}  // namespace malloom::bench::bins
