// Opening a heap, and the regions that come and go.
#include "runtime/codegen/bins/table_functions.h"
#include "runtime/heaps/bins/bin_heap.h"

using namespace malloom::heaps::bins;

namespace {

bool is_power_of_two(size_t number) {
    return number != 0 && (number & (number - 1)) == 0;
}

constexpr unsigned counting =
    MALLOOM_BINS_COUNT_INSERTIONS | MALLOOM_BINS_COUNT_EXTRACTIONS | MALLOOM_BINS_COUNT_STEPS;
constexpr unsigned all_options = 2 * MALLOOM_BINS_COUNT_STEPS - 1;

bool are_ascending(const uint32_t* begins, unsigned bins) {
    for (unsigned bin = 1; bin < bins; ++bin) {
        if (begins[bin] <= begins[bin - 1]) {
            return false;
        }
    }
    return begins[0] == 0;
}

/// Bins and levels with the defaults in their places.
struct Shape {
    unsigned bins;
    unsigned levels;
    size_t granule;

    explicit Shape(const malloom_bins_settings& settings)
        : bins(settings.bins != 0 ? settings.bins : unsigned{MALLOOM_BINS_ORIGINAL_COUNT}),
          levels(settings.levels != 0 ? settings.levels : 1),
          granule(settings.alignment != 0 ? settings.alignment : 2 * sizeof(void*)) {}

    bool can_be(const malloom_bins_settings& settings) const {
        const bool has_bins = settings.begins != nullptr ? are_ascending(settings.begins, bins)
                                                         : bins == MALLOOM_BINS_ORIGINAL_COUNT;
        return bins <= MALLOOM_BINS_MOST && levels <= MALLOOM_BINS_MOST_LEVELS && has_bins &&
               is_power_of_two(granule) && granule >= sizeof(void*) && granule <= most_bytes &&
               settings.options <= all_options;
    }
};

/// Divides the storage: lists, maps, and where there is room for them, begins and counts.
void lay_out(malloom_bins& heap, const malloom_bins_settings& settings) {
    char* at = static_cast<char*>(settings.storage);
    heap.lists = reinterpret_cast<malloom_bins_links*>(at);
    at += size_t{heap.levels} * heap.bins * sizeof(malloom_bins_links);
    heap.filled = reinterpret_cast<uint32_t*>(at);
    if (settings.storage_bytes < MALLOOM_BINS_STORAGE(heap.bins, heap.levels)) {
        heap.begins = settings.begins;
        return;
    }
    at = static_cast<char*>(settings.storage) + MALLOOM_BINS_LISTS(heap.bins, heap.levels);
    auto* begins = reinterpret_cast<uint32_t*>(at);
    heap.counts = begins + heap.bins;
    if (settings.begins == nullptr) {
        malloom::codegen::bins::original_begins(begins);
    }
    for (unsigned bin = 0; bin < heap.bins; ++bin) {
        begins[bin] = settings.begins != nullptr ? settings.begins[bin] : begins[bin];
        heap.counts[bin] = 0;
    }
    heap.begins = begins;
}

malloom_bins_result said(BinHeap<ShippedPolicy>& call, malloom_bins_result why, const void* about) {
    call.fail(why, reinterpret_cast<uintptr_t>(about));
    return why;
}

}  // namespace

extern "C" {

malloom_bins_result malloom_bins_open(malloom_bins* heap, const malloom_bins_settings* settings) {
    const Shape shape(*settings);
    if (!shape.can_be(*settings) || settings->storage == nullptr ||
        reinterpret_cast<uintptr_t>(settings->storage) % alignof(malloom_bins_links) != 0) {
        return MALLOOM_BINS_BAD_ARGUMENT;
    }
    const bool wants_table = (settings->options & counting) != 0;
    if (settings->storage_bytes < (wants_table ? MALLOOM_BINS_STORAGE(shape.bins, shape.levels)
                                               : MALLOOM_BINS_LISTS(shape.bins, shape.levels))) {
        return MALLOOM_BINS_TOO_SMALL;
    }
    const bool is_bounded = (settings->options & MALLOOM_BINS_BOUNDED) != 0;
    const unsigned steps =
        settings->most_steps != 0 ? settings->most_steps : unsigned{MALLOOM_BINS_DEFAULT_STEPS};
    clear_words(heap, sizeof *heap);
    heap->hooks = settings->hooks;
    heap->granule = shape.granule;
    heap->most_steps = is_bounded ? steps : UINT32_MAX;
    heap->bins = static_cast<uint16_t>(shape.bins);
    heap->most_bins = heap->bins;
    heap->map_words = static_cast<uint16_t>(MALLOOM_BINS_MAP_WORDS(shape.bins));
    heap->options = static_cast<uint8_t>(settings->options);
    heap->levels = static_cast<uint8_t>(shape.levels);
    lay_out(*heap, *settings);
    heap->function = settings->function != nullptr ? settings->function
                     : settings->begins != nullptr ? malloom_bins_variable
                                                   : malloom_bins_original;
    for (unsigned level = 0; level < shape.levels; ++level) {
        FreeLists(*heap, level).clear();
    }
    return MALLOOM_BINS_OK;
}

malloom_bins_result malloom_bins_add_region(malloom_bins* heap, void* memory, size_t bytes,
                                            unsigned int level) {
    BinHeap<ShippedPolicy> call(*heap);
    if (level >= heap->levels || memory == nullptr) {
        return said(call, MALLOOM_BINS_BAD_ARGUMENT, memory);
    }
    if (overlaps(*heap, memory, bytes)) {
        return said(call, MALLOOM_BINS_OVERLAP, memory);
    }
    Region* region = lay_out(memory, bytes, heap->granule, level);
    if (region == nullptr) {
        return said(call, MALLOOM_BINS_TOO_SMALL, memory);
    }
    join(*heap, *region);
    call.add(*region);
    return MALLOOM_BINS_OK;
}

malloom_bins_result malloom_bins_remove_region(malloom_bins* heap, const void* memory) {
    BinHeap<ShippedPolicy> call(*heap);
    const Region* region = heap->regions;
    while (region != nullptr && region->memory != memory) {
        region = region->next;
    }
    if (region == nullptr) {
        return said(call, MALLOOM_BINS_BAD_ARGUMENT, memory);
    }
    if (!call.remove(*region)) {
        return said(call, MALLOOM_BINS_IN_USE, memory);
    }
    leave(*heap, *region);
    return MALLOOM_BINS_OK;
}

}  // extern "C"
