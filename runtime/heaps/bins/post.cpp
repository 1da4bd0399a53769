// What others give back to a heap whose instance they do not see.
#include "include/malloom/bins.h"
#include "runtime/heaps/bins/bin_heap.h"

using namespace malloom::heaps::bins;
using malloom::structures::load;

namespace {

/// The list's begin. What is given back from now on belongs to the next one.
uintptr_t take_list(malloom_bins& post) {
    uintptr_t first = load(post.deferred);
    while (first != 0 && !malloom::structures::replace(false, post.deferred, first, 0)) {
        first = load(post.deferred);
    }
    return first;
}

uintptr_t take_list(malloom_bins& post, const malloom_bins_hooks* hooks) {
    if (hooks == nullptr || load(post.deferred) == 0) {
        return take_list(post);
    }
    hooks->lock(hooks->context);
    const uintptr_t first = take_list(post);
    hooks->unlock(hooks->context);
    return first;
}

}  // namespace

extern "C" {

size_t malloom_bins_collect(malloom_bins* heap, malloom_bins* post, const malloom_bins_hooks* post_lock) {
    uintptr_t next = take_list(*post, post_lock);
    if (next == 0) {
        return 0;
    }
    BinHeap<ShippedPolicy> call(*heap);
    const Region* region = nullptr;
    size_t freed = 0;
    // What is wrong with a link would be followed: the others are lost then.
    for (; next != 0; ++freed) {
        void* const object = reinterpret_cast<void*>(next);
        if (call.find_living(object, region) != MALLOOM_BINS_OK) {
            break;
        }
        next = *static_cast<const uintptr_t*>(object);
        call.release(object, region->level);
        call.trace(object, 0);
    }
    return freed;
}

}  // extern "C"
