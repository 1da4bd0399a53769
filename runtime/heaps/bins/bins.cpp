// The calls of include/malloom/bins.h that make and give back objects.
#include "include/malloom/bins.h"

#include "runtime/heaps/bins/bin_heap.h"

using namespace malloom::heaps::bins;

namespace {

using Call = BinHeap<ShippedPolicy>;

void* made(Call& call, void* object, size_t bytes) {
    if (object == nullptr) [[unlikely]] {
        return call.fail(MALLOOM_BINS_NO_MEMORY, bytes);
    }
    call.trace(object, bytes != 0 ? bytes : 1);
    return object;
}

[[gnu::noinline]] void* make_plainly(malloom_bins& heap, size_t bytes) {
    return make<ShippedPolicy>(heap, bytes);
}
[[gnu::noinline]] void* make_generally(malloom_bins& heap, size_t alignment, size_t bytes) {
    Call call(heap);
    if (alignment == 0 || (alignment & (alignment - 1)) != 0) {
        return call.fail(MALLOOM_BINS_BAD_ARGUMENT, alignment);
    }
    call.release_deferred();
    const bool is_aligned_anyway = alignment <= sizeof(void*);
    return made(call, is_aligned_anyway ? call.allocate(bytes) : call.allocate_aligned(alignment, bytes),
                bytes);
}

[[gnu::noinline]] malloom_bins_result release_plainly(malloom_bins& heap, void* object) {
    return release<ShippedPolicy, false>(heap, object);
}
[[gnu::noinline]] malloom_bins_result release_and_sample(malloom_bins& heap, void* object) {
    return release<ShippedPolicy, false, may_be_automatic>(heap, object);
}
[[gnu::noinline]] malloom_bins_result release_generally(malloom_bins& heap, void* object) {
    return release<ShippedPolicy, true>(heap, object);
}
[[gnu::always_inline]] inline malloom_bins_result release_by(unsigned calls, malloom_bins& heap,
                                                             void* object) {
    if (calls == general_calls) {
        return release_generally(heap, object);
    }
    return calls == plain_calls ? release_plainly(heap, object) : release_and_sample(heap, object);
}

/// What it samples is counted, if it is an object: it goes on as without. False for the automatic rehash,
/// which is told of the next one that is given back by the calls for it. Inline, as around a call each free
/// would keep values in registers.
[[gnu::always_inline]] inline bool has_counted(malloom_bins& heap, const void* object) {
    heap.releases_left = 1;
    if (heap.sampled == 0) {
        return false;
    }
    if (judge<false>(heap, region_of(heap, object), object) == MALLOOM_BINS_OK) {
        count_release<OriginalPolicy>(heap, chunk_of(object));
    }
    return true;
}

}  // namespace

extern "C" {

[[gnu::noinline]] void* malloom_bins_alloc(malloom_bins* heap, size_t bytes) {
    const unsigned calls = calls_of(*heap);
    if (calls >= original_calls) [[likely]] {
        return make<OriginalPolicy>(*heap, bytes);
    }
    return calls != general_calls ? make_plainly(*heap, bytes) : make_generally(*heap, 1, bytes);
}

void* malloom_bins_calloc(malloom_bins* heap, size_t count, size_t bytes) {
    size_t all = 0;
    if (__builtin_mul_overflow(count, bytes, &all)) {
        all = SIZE_MAX;
    }
    void* object = malloom_bins_alloc(heap, all);
    if (object != nullptr) {
        clear_words(object, round_up(all, sizeof(size_t)));
    }
    return object;
}

void* malloom_bins_aligned(malloom_bins* heap, size_t alignment, size_t bytes) {
    return make_generally(*heap, alignment, bytes);
}

malloom_bins_result malloom_bins_free(malloom_bins* heap, void* object) {
    if (object == nullptr) {
        return MALLOOM_BINS_OK;
    }
    const unsigned calls = calls_of(*heap);
    if (calls != original_calls) [[unlikely]] {
        if (calls < original_calls) {
            return release_by(calls, *heap, object);
        }
        if (--heap->releases_left == 0 && !has_counted(*heap, object)) [[unlikely]] {
            return release_and_sample(*heap, object);
        }
    }
    return release<OriginalPolicy, false>(*heap, object);
}

malloom_bins_result malloom_bins_free_later(malloom_bins* heap, void* object) {
    if (object == nullptr) {
        return MALLOOM_BINS_OK;
    }
    for (;;) {
        const uintptr_t first = malloom::structures::load(heap->deferred);
        malloom::structures::store_relaxed(*static_cast<uintptr_t*>(object), first);
        if (malloom::structures::replace(false, heap->deferred, first, reinterpret_cast<uintptr_t>(object))) {
            return MALLOOM_BINS_OK;
        }
    }
}

void* malloom_bins_realloc(malloom_bins* heap, void* object, size_t bytes) {
    if (object == nullptr) {
        return malloom_bins_alloc(heap, bytes);
    }
    Call call(*heap);
    call.release_deferred();
    const Region* region = nullptr;
    if (call.find_living(object, region) != MALLOOM_BINS_OK) [[unlikely]] {
        return nullptr;
    }
    if (call.resize(object, bytes, region->level)) {
        return made(call, object, bytes);
    }
    void* moved = made(call, call.allocate(bytes), bytes);
    if (moved != nullptr) {
        copy_words(moved, object, bytes_of(chunk_of(object)) - overhead_bytes);
        call.release(object, region->level);
        call.trace(object, 0);
    }
    return moved;
}

size_t malloom_bins_usable_size(const malloom_bins* heap, const void* object) {
    const bool is_living = judge<true>(*heap, region_of(*heap, object), object) == MALLOOM_BINS_OK;
    return is_living ? bytes_of(chunk_of(object)) - overhead_bytes : 0;
}

int malloom_bins_owns(const malloom_bins* heap, const void* object) {
    return region_of(*heap, object) != nullptr;
}

}  // extern "C"
