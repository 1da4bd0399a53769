#include "runtime/heaps/bins/adapter/thread_bins.h"

#include "runtime/heaps/bins/bin_heap.h"

namespace malloom::heaps {

namespace {

using bins::Region;
using Call = bins::BinHeap<bins::ShippedPolicy>;

constexpr size_t alignment = 16;

// A request that cannot be served is none of these: it was asked without the hook's being called.
constexpr ThreadMisuse misuse_of(malloom_bins_result what) {
    return what == MALLOOM_BINS_FREED_BEFORE ? ThreadMisuse::freed_before
           : what == MALLOOM_BINS_DAMAGED    ? ThreadMisuse::damaged
                                             : ThreadMisuse::foreign;
}

// Of a living object, in any thread. The owner may just be changing a flag beside the size, but neither the
// size nor that it lives, and one load reads all. ThreadSanitizer would see even an atomic one.
__attribute__((no_sanitize("thread"))) size_t head_seen(const bins::Chunk& chunk) {
    return *static_cast<const volatile size_t*>(&chunk.head);
}

[[gnu::always_inline]] inline void expect_living(const BinsOfThread& self, const Region& region,
                                                 const void* object) {
    if (const auto wrong = bins::judge<true>(self.bins, &region, object); wrong != MALLOOM_BINS_OK)
        [[unlikely]] {
        self.hook.told(self.hook.context, misuse_of(wrong), object, false);
    }
}

}  // namespace

bool BinsOfThread::open(const ThreadMisuseHook& told) {
    hook = told;
    hooks = {};
    hooks.context = this;
    hooks.failed = [](void* self, malloom_bins_result why, uintptr_t about) {
        const ThreadMisuseHook& to = static_cast<BinsOfThread*>(self)->hook;
        to.told(to.context, misuse_of(why), reinterpret_cast<void*>(about), true);
    };
    malloom_bins_settings settings = {};
    settings.alignment = alignment;
    settings.options = MALLOOM_BINS_BOUNDED;
    settings.hooks = &hooks;
    settings.storage = storage;
    settings.storage_bytes = sizeof storage;
    return malloom_bins_open(&bins, &settings) == MALLOOM_BINS_OK;
}

bool BinsOfThread::add_region(void* start, size_t bytes) {
    return malloom_bins_add_region(&bins, start, bytes, 0) == MALLOOM_BINS_OK;
}

void BinsOfThread::remove_region(const Region& region) {
    malloom_bins_remove_region(&bins, region.memory);
}

void* BinsOfThread::allocate(const Request& request) {
    Call call(bins);
    call.release_deferred();
    return request.alignment > alignment ? call.allocate_aligned(request.alignment, request.bytes)
                                         : call.allocate(request.bytes);
}

void BinsOfThread::release(const Region& region, void* object) {
    Call call(bins);
    call.release_deferred();
    expect_living(*this, region, object);
    call.release(object, 0);
}

bool BinsOfThread::resize(const Region& region, void* object, size_t bytes) {
    Call call(bins);
    expect_living(*this, region, object);
    return call.resize(object, bytes, 0);
}

void BinsOfThread::judge(const Region& region, const void* object) const {
    const bins::Chunk* const chunk = &bins::chunk_of(object);
    if (reinterpret_cast<uintptr_t>(object) % alignment != 0 || chunk < region.first || chunk >= region.end) {
        hook.told(hook.context, ThreadMisuse::foreign, object, false);
        return;
    }
    const size_t head = head_seen(*chunk);
    if ((head & bins::lives) == 0 || !bins::fits(region, *chunk, head & ~bins::flags)) [[unlikely]] {
        hook.told(hook.context, ThreadMisuse::freed_before, object, false);
    }
}

// A bounded heap takes one at each call.
void BinsOfThread::take_deferred() {
    Call call(bins);
    while (has_deferred()) {
        call.release_deferred();
    }
}

size_t BinsOfThread::usable_size(const Region&, const void* object) {
    return (head_seen(bins::chunk_of(object)) & ~bins::flags) - bins::overhead_bytes;
}

ThreadMisuse BinsOfThread::looked_into(const Region& region, const void* object, ThreadMisuse what) {
    const bins::Chunk& place = bins::chunk_of(object);
    const bins::Chunk* chunk = region.first;
    while (chunk < region.end && bins::fits(region, *chunk, bins::bytes_of(*chunk))) {
        const bins::Chunk* const next = &bins::after(*chunk, bins::bytes_of(*chunk));
        if (next > &place) {
            return (chunk->head & bins::lives) == 0 ? ThreadMisuse::freed_before
                   : chunk == &place                ? what
                                                    : ThreadMisuse::foreign;
        }
        chunk = next;
    }
    return what;
}

template class ThreadHeaps<BinsOfThread>;

}  // namespace malloom::heaps
