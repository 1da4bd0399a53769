// The bins anew, by what was counted in them, and their function as machine code (Lhuillier and
// Courousse, 2.4).
#include "runtime/codegen/bins/bin_code.h"
#include "runtime/heaps/bins/bin_heap.h"
#include "runtime/heaps/bins/redistribution.h"

using namespace malloom::heaps::bins;
using malloom::codegen::bins::BinRanges;
using malloom::codegen::bins::GeneratedCode;
namespace codegen = malloom::codegen::bins;

namespace {

/// Larger than all chunks.
uint32_t end_of_sizes(const malloom_bins& heap) {
    size_t largest = size_t{2} * heap.begins[heap.bins - 1];
    for (const Region* region = heap.regions; region != nullptr; region = region->next) {
        largest = room_of(*region) > largest ? room_of(*region) : largest;
    }
    return largest < UINT32_MAX / 2 ? static_cast<uint32_t>(largest) : UINT32_MAX / 2;
}

/// Of the largest free chunk, what lies behind its links; null where that is too little.
uint32_t* scratch_of(malloom_bins& heap) {
    for (size_t level = 0; level < heap.levels; ++level) {
        Chunk* last = FreeLists(heap, level).last();
        if (last != nullptr && bytes_of(*last) >= sizeof(Chunk) + heap.most_bins * sizeof(uint32_t)) {
            return reinterpret_cast<uint32_t*>(last + 1);
        }
    }
    return nullptr;
}

/// Lays out the bins anew. The begins are the instance's own where it has counts.
void lay_out(BinHeap<ShippedPolicy>& call, malloom_bins& heap, const uint32_t* begins, unsigned bins) {
    call.relink([&heap, begins, bins] {
        auto* own = const_cast<uint32_t*>(heap.begins);
        for (unsigned bin = 0; bin < bins; ++bin) {
            own[bin] = begins[bin];
        }
        heap.bins = static_cast<uint16_t>(bins);
        heap.function = malloom_bins_variable;
    });
}

malloom_bins_result redistribute(BinHeap<ShippedPolicy>& call, malloom_bins& heap,
                                 malloom_bins_ranges ranges) {
    uint32_t* scratch = scratch_of(heap);
    if (scratch == nullptr) {
        return MALLOOM_BINS_NO_MEMORY;
    }
    const CountedBins old = {heap.begins, heap.counts, heap.bins, end_of_sizes(heap),
                             static_cast<uint32_t>(heap.granule)};
    const unsigned bins = ranges == MALLOOM_BINS_LINEAR ? redistribute_linearly(old, heap.most_bins, scratch)
                                                        : redistribute_smoothly(old, heap.most_bins, scratch);
    if (bins != 0) {
        lay_out(call, heap, scratch, bins);
    }
    return MALLOOM_BINS_OK;
}

size_t half_of(const malloom_bins_code& code) {
    return code.bytes / 2 & ~size_t{3};
}

/// The half that is not in use.
unsigned char* free_half(const malloom_bins& heap, const malloom_bins_code& code) {
    const uintptr_t runs_at =
        reinterpret_cast<uintptr_t>(code.memory) + static_cast<uintptr_t>(code.elsewhere);
    const uintptr_t in_use = reinterpret_cast<uintptr_t>(heap.function) - runs_at;
    return in_use < half_of(code) ? code.memory + half_of(code) : code.memory;
}

/// Writes the function into the free half, and calls it for every begin.
malloom_bins_result generate(malloom_bins& heap, const BinRanges& ranges, const malloom_bins_code& code) {
    unsigned char* const half = free_half(heap, code);
    const size_t bytes = half_of(code);
    if (code.begin_write != nullptr) {
        code.begin_write(code.context, half, bytes);
    }
    const GeneratedCode made =
        codegen::generate(ranges, *codegen::own_instruction_set(), heap.counts, half, bytes, true);
    if (code.end_write != nullptr) {
        code.end_write(code.context, half, bytes);
    }
    if (made.begin == nullptr) {
        return MALLOOM_BINS_TOO_SMALL;
    }
    const codegen::BinFunction function = codegen::function_at(made.begin + code.elsewhere);
    if (!codegen::is_right(function, ranges)) {
        return MALLOOM_BINS_DAMAGED;
    }
    // It takes no notice of the instance.
    heap.function = reinterpret_cast<malloom_bin_function>(reinterpret_cast<uintptr_t>(function));
    if (code.wait_for_others != nullptr) {
        code.wait_for_others(code.context);
    }
    return MALLOOM_BINS_OK;
}

}  // namespace

extern "C" malloom_bins_result malloom_bins_rehash(malloom_bins* heap, malloom_bins_ranges ranges,
                                                   const malloom_bins_code* code) {
    BinHeap<ShippedPolicy> call(*heap);
    if (heap->counts == nullptr) {
        call.fail(MALLOOM_BINS_BAD_ARGUMENT, 0);
        return MALLOOM_BINS_BAD_ARGUMENT;
    }
    malloom_bins_result result = MALLOOM_BINS_OK;
    if (ranges != MALLOOM_BINS_AS_THEY_ARE) {
        result = redistribute(call, *heap, ranges);
    }
    if (result == MALLOOM_BINS_OK && code != nullptr && codegen::own_instruction_set() != nullptr) {
        // What was counted weighs the comparisons of ranges that have stayed.
        const bool have_stayed = ranges == MALLOOM_BINS_AS_THEY_ARE;
        result =
            generate(*heap, {heap->begins, nullptr, have_stayed ? heap->counts : nullptr, heap->bins}, *code);
    }
    for (unsigned bin = 0; bin < heap->most_bins; ++bin) {
        heap->counts[bin] = 0;
    }
    if (result != MALLOOM_BINS_OK) {
        call.fail(result, 0);
    }
    return result;
}
