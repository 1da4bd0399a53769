// Quick lists in front of a bin heap (Weinstock and Wulf 1988): include/malloom/bins.h says what they do.
#include "include/malloom/bins.h"
#include "runtime/heaps/bins/bin_heap.h"

using namespace malloom::heaps::bins;

namespace {

/// What a kept object has in the place of its content.
struct Kept {
    void* next;
    const malloom_bins_quick* quick;  ///< whose it is; a living object may have the same word by chance
};
static_assert(sizeof(Chunk) - head_bytes + overhead_bytes >= sizeof(Kept),
              "the least object has room for it");

/// What the lists neither clear, nor check, nor tell of.
constexpr unsigned refused = rare_options;

[[gnu::always_inline]] inline Kept& kept_in(void* object) {
    return *static_cast<Kept*>(object);
}

[[gnu::always_inline]] inline malloom_bins_quick_list& list_of(const malloom_bins_quick& quick,
                                                               size_t chunk_bytes) {
    return quick.lists[chunk_bytes >> quick.granule_bits];
}

/// The object kept last for a chunk of so many bytes; null where none is.
[[gnu::always_inline]] inline void* take(const malloom_bins_quick& quick, size_t chunk_bytes) {
    malloom_bins_quick_list* list = &list_of(quick, chunk_bytes);
    if (list->first == nullptr) {
        list += quick.rest;
    }
    void* const object = list->first;
    if (object != nullptr) {
        list->first = kept_in(object).next;
        kept_in(object).quick = nullptr;  // or each free of it would look through the list
        ++list->room;
    }
    return object;
}

[[gnu::noinline, gnu::cold]] bool is_in(const malloom_bins_quick_list& list, const void* object) {
    const void* each = list.first;
    while (each != nullptr && each != object) {
        each = static_cast<const Kept*>(each)->next;
    }
    return each != nullptr;
}

/// Of an object that was judged, in a chunk of so many bytes.
[[gnu::always_inline]] inline bool is_kept(const malloom_bins_quick& quick, void* object,
                                           size_t chunk_bytes) {
    return kept_in(object).quick == &quick && chunk_bytes <= quick.most_chunk_bytes &&
           is_in(list_of(quick, chunk_bytes), object);
}

/// What interrupts gave back is freed first, as in each call of the heap.
[[gnu::noinline]] void release_deferred(malloom_bins& heap) {
    BinHeap<ShippedPolicy>(heap).release_deferred();
}
[[gnu::always_inline]] inline void settle_deferred(malloom_bins& heap) {
    if (malloom::structures::load_relaxed(heap.deferred) != 0) [[unlikely]] {
        release_deferred(heap);
    }
}

[[gnu::noinline]] void* allocate_by_function(malloom_bins& heap, size_t bytes) {
    return BinHeap<ShippedPolicy, false>(heap).allocate(bytes);
}
[[gnu::noinline]] void release_by_function(malloom_bins& heap, void* object, size_t level) {
    BinHeap<ShippedPolicy, false, may_be_automatic>(heap).release(object, level);
}

[[gnu::always_inline]] inline void* allocate(malloom_bins& heap, size_t bytes) {
    return heap.calls >= original_calls ? BinHeap<OriginalPolicy, false>(heap).allocate(bytes)
                                        : allocate_by_function(heap, bytes);
}
/// Of an object that was judged.
[[gnu::always_inline]] inline void release(malloom_bins& heap, void* object, size_t level) {
    if (heap.calls == original_calls) {
        BinHeap<OriginalPolicy, false>(heap).release(object, level);
    } else {
        release_by_function(heap, object, level);
    }
}

/// Once more, with what was kept.
[[gnu::noinline, gnu::cold]] void* allocate_again(malloom_bins_quick& quick, size_t bytes) {
    malloom_bins& heap = *quick.heap;
    void* const object = malloom_bins_quick_settle(&quick) != 0 ? allocate_by_function(heap, bytes) : nullptr;
    return object != nullptr ? object : refuse(heap, MALLOOM_BINS_NO_MEMORY, bytes);
}

/// Whether an object lives there that is not kept; its region is said then.
[[gnu::always_inline]] inline malloom_bins_result judge_living(const malloom_bins_quick& quick, void* object,
                                                               const Region*& region) {
    region = region_of(*quick.heap, object);
    const malloom_bins_result wrong = judge<false>(*quick.heap, region, object);
    if (wrong == MALLOOM_BINS_OK && is_kept(quick, object, bytes_of(chunk_of(object)))) [[unlikely]] {
        return MALLOOM_BINS_FREED_BEFORE;
    }
    return wrong;
}

/// False where its list is full, or there is none of its size.
[[gnu::always_inline]] inline bool keep(const malloom_bins_quick& quick, void* object, const Region& region) {
    const size_t bytes = bytes_of(chunk_of(object));
    if (bytes > quick.most_chunk_bytes || region.level != 0) {
        return false;
    }
    malloom_bins_quick_list& list = list_of(quick, bytes);
    if (list.room == 0) {
        return false;
    }
    kept_in(object) = {list.first, &quick};
    list.first = object;
    --list.room;
    return true;
}

unsigned bits_of(size_t power_of_two) {
    unsigned bits = 0;
    while (power_of_two >> bits != 1) {
        ++bits;
    }
    return bits;
}

bool may_have_lists(const malloom_bins& heap) {
    const malloom_bins_hooks* const hooks = heap.hooks;
    const bool samples =
        hooks != nullptr && (hooks->lock != nullptr || hooks->unlock != nullptr || hooks->trace != nullptr);
    return heap.granule != 0 && !samples && !has(heap, refused);
}

}  // namespace

extern "C" {

malloom_bins_result malloom_bins_quick_open(malloom_bins_quick* quick, malloom_bins* heap, size_t largest,
                                            unsigned int most_each, void* storage, size_t storage_bytes) {
    if (!may_have_lists(*heap) || most_each == 0 || storage == nullptr ||
        reinterpret_cast<uintptr_t>(storage) % alignof(malloom_bins_quick_list) != 0) {
        return MALLOOM_BINS_BAD_ARGUMENT;
    }
    // A chunk may have a rest that is too small to be one.
    const size_t granule = heap->granule;
    const size_t rest = granule < sizeof(Chunk) ? 1 : 0;
    const size_t most_chunk = chunk_bytes_for(largest, granule) + rest * granule;
    const size_t lists = (most_chunk >> bits_of(granule)) + rest + 1;
    if (storage_bytes / sizeof(malloom_bins_quick_list) < lists) {
        return MALLOOM_BINS_TOO_SMALL;
    }
    *quick = {
        heap, static_cast<malloom_bins_quick_list*>(storage), largest, most_chunk, rest, bits_of(granule)};
    for (size_t list = 0; list < lists; ++list) {
        quick->lists[list] = {nullptr, most_each};
    }
    return MALLOOM_BINS_OK;
}

void* malloom_bins_quick_alloc(malloom_bins_quick* quick, size_t bytes) {
    malloom_bins& heap = *quick->heap;
    settle_deferred(heap);
    if (bytes <= quick->most_bytes) {
        if (void* const object = take(*quick, chunk_bytes_for(bytes, heap.granule)); object != nullptr) {
            return object;
        }
    }
    void* const object = allocate(heap, bytes);
    return object != nullptr ? object : allocate_again(*quick, bytes);
}

void* malloom_bins_quick_calloc(malloom_bins_quick* quick, size_t count, size_t bytes) {
    size_t all = 0;
    if (__builtin_mul_overflow(count, bytes, &all)) {
        all = SIZE_MAX;
    }
    void* const object = malloom_bins_quick_alloc(quick, all);
    if (object != nullptr) {
        clear_words(object, round_up(all, sizeof(size_t)));
    }
    return object;
}

malloom_bins_result malloom_bins_quick_free(malloom_bins_quick* quick, void* object) {
    if (object == nullptr) {
        return MALLOOM_BINS_OK;
    }
    malloom_bins& heap = *quick->heap;
    settle_deferred(heap);
    const Region* region = nullptr;
    if (const malloom_bins_result wrong = judge_living(*quick, object, region); wrong != MALLOOM_BINS_OK)
        [[unlikely]] {
        return tell(heap, wrong, reinterpret_cast<uintptr_t>(object));
    }
    if (!keep(*quick, object, *region)) {
        release(heap, object, region->level);
    }
    return MALLOOM_BINS_OK;
}

void* malloom_bins_quick_realloc(malloom_bins_quick* quick, void* object, size_t bytes) {
    if (object == nullptr) {
        return malloom_bins_quick_alloc(quick, bytes);
    }
    malloom_bins& heap = *quick->heap;
    settle_deferred(heap);
    const Region* region = nullptr;
    if (const malloom_bins_result wrong = judge_living(*quick, object, region); wrong != MALLOOM_BINS_OK) {
        tell(heap, wrong, reinterpret_cast<uintptr_t>(object));
        return nullptr;
    }
    if (BinHeap<ShippedPolicy, false>(heap).resize(object, bytes, region->level)) {
        return object;
    }
    void* const moved = malloom_bins_quick_alloc(quick, bytes);
    if (moved != nullptr) {
        copy_words(moved, object, bytes_of(chunk_of(object)) - overhead_bytes);
        malloom_bins_quick_free(quick, object);
    }
    return moved;
}

size_t malloom_bins_quick_settle(malloom_bins_quick* quick) {
    size_t settled = 0;
    const size_t lists = (quick->most_chunk_bytes >> quick->granule_bits) + 1;
    for (size_t list = 0; list < lists; ++list) {
        while (quick->lists[list].first != nullptr) {
            void* const object = take(*quick, list << quick->granule_bits);
            release_by_function(*quick->heap, object, 0);
            ++settled;
        }
    }
    return settled;
}

}  // extern "C"
