// Opening a heap, and the regions that come and go.
#include "runtime/codegen/bins/table_functions.h"
#include "runtime/heaps/bins/bin_heap.h"

using namespace malloom::heaps::bins;

namespace {

bool is_power_of_two(size_t number) {
    return number != 0 && (number & (number - 1)) == 0;
}

/// What is looked up among all chunks has no bound.
constexpr unsigned endless = MALLOOM_BINS_BOUNDED | MALLOOM_BINS_THOROUGH;

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
    unsigned most_bins;
    unsigned levels;
    size_t granule;

    explicit Shape(const malloom_bins_settings& settings)
        : bins(settings.bins != 0 ? settings.bins : unsigned{MALLOOM_BINS_ORIGINAL_COUNT}),
          most_bins(settings.most_bins != 0 ? settings.most_bins : bins),
          levels(settings.levels != 0 ? settings.levels : 1),
          granule(settings.alignment != 0 ? settings.alignment : 2 * sizeof(void*)) {}

    bool can_be(const malloom_bins_settings& settings) const {
        return has_bins(settings) && levels <= MALLOOM_BINS_MOST_LEVELS && is_power_of_two(granule) &&
               granule >= sizeof(void*) && granule <= most_bytes / 4 &&
               (settings.options & ~unsigned{MALLOOM_BINS_OPTIONS}) == 0 &&
               (settings.options & endless) != endless;
    }

  private:
    bool has_bins(const malloom_bins_settings& settings) const {
        if (bins > most_bins || most_bins > MALLOOM_BINS_MOST) {
            return false;
        }
        return settings.begins != nullptr ? are_ascending(settings.begins, bins)
                                          : bins == MALLOOM_BINS_ORIGINAL_COUNT;
    }
};

/// Begins and counts in the storage behind the lists.
void lay_out_table(malloom_bins& heap, const uint32_t* given, uint32_t* begins) {
    heap.begins = begins;
    heap.counts = begins + heap.most_bins;
    if (given == nullptr) {
        malloom::codegen::bins::original_begins(begins);
        given = begins;
    }
    for (unsigned bin = 0; bin < heap.bins; ++bin) {
        begins[bin] = given[bin];
    }
    for (unsigned bin = 0; bin < heap.most_bins; ++bin) {
        heap.counts[bin] = 0;
    }
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
    const size_t lists_bytes = MALLOOM_BINS_LISTS(shape.most_bins, shape.levels);
    const size_t table_bytes = MALLOOM_BINS_STORAGE(shape.most_bins, shape.levels) - lists_bytes;
    const bool has_table = settings->storage_bytes >= lists_bytes + table_bytes;
    const bool wants_table = (settings->options & counting) != 0 || shape.bins < shape.most_bins;
    if (settings->storage_bytes < lists_bytes || (wants_table && !has_table)) {
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
    heap->most_bins = static_cast<uint16_t>(shape.most_bins);
    heap->map_words = static_cast<uint16_t>(MALLOOM_BINS_MAP_WORDS(shape.most_bins));
    heap->options = static_cast<uint8_t>(settings->options);
    heap->levels = static_cast<uint8_t>(shape.levels);
    heap->lists = static_cast<malloom_bins_links*>(settings->storage);
    heap->filled = reinterpret_cast<uint32_t*>(heap->lists + size_t{shape.levels} * shape.most_bins);
    heap->begins = settings->begins;
    heap->function = settings->function;
    if (heap->function == nullptr) {
        heap->function = settings->begins != nullptr ? malloom_bins_variable : malloom_bins_original;
    }
    choose_calls(*heap);
    if (has_table) {
        void* table = static_cast<char*>(settings->storage) + lists_bytes;
        lay_out_table(*heap, settings->begins, static_cast<uint32_t*>(table));
    }
    for (unsigned level = 0; level < shape.levels; ++level) {
        FreeLists(*heap, level).clear();
    }
    return MALLOOM_BINS_OK;
}

malloom_bins_result malloom_bins_add_region(malloom_bins* heap, void* memory, size_t bytes,
                                            unsigned int level) {
    BinHeap<ShippedPolicy> call(*heap);
    Region* region = nullptr;
    malloom_bins_result why_not = MALLOOM_BINS_OK;
    if (level >= heap->levels || memory == nullptr) {
        why_not = MALLOOM_BINS_BAD_ARGUMENT;
    } else if (overlaps(*heap, memory, bytes)) {
        why_not = MALLOOM_BINS_OVERLAP;
    } else if (region = lay_out(memory, bytes, heap->granule, level); region == nullptr) {
        why_not = MALLOOM_BINS_TOO_SMALL;
    }
    if (region == nullptr) {
        return said(call, why_not, memory);
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
