#include "runtime/heaps/pages/adapter/thread_pages.h"

#include "runtime/heaps/heap.h"
#include "runtime/structures/freestanding/shared_word.h"

namespace malloom::heaps {

void PagesOfThread::tell(pages::Wrong what, const void* object, bool was_deferred) const {
    hook.told(hook.context,
              what == pages::Wrong::freed_before ? ThreadMisuse::freed_before : ThreadMisuse::foreign, object,
              was_deferred);
}

bool PagesOfThread::resize(const Region& region, void* object, size_t bytes) const {
    pages.is_living(region, object,
                    [this](pages::Wrong what, const void* wrong) { tell(what, wrong, false); });
    return fits_room(bytes, Pages::usable_size(region, object));
}

// The owner may just be changing what is read here, but nothing of what it says of a living object.
__attribute__((no_sanitize("thread"))) void PagesOfThread::judge(const Region& region,
                                                                 const void* object) const {
    pages.is_living(region, object,
                    [this](pages::Wrong what, const void* wrong) { tell(what, wrong, false); });
}

void PagesOfThread::release_later(void* object) {
    for (uintptr_t first = structures::load(deferred);; first = structures::load(deferred)) {
        structures::store_relaxed(*static_cast<uintptr_t*>(object), first);
        if (structures::replace(false, deferred, first, reinterpret_cast<uintptr_t>(object))) {
            return;
        }
    }
}

// One that is there twice leads to itself, and is known the second time. What is no object may lead anywhere,
// so it is looked at before.
void PagesOfThread::take_deferred() {
    uintptr_t next = structures::load(deferred);
    while (!structures::replace(false, deferred, next, 0)) {
        next = structures::load(deferred);
    }
    while (next != 0) {
        void* const object = reinterpret_cast<void*>(next);
        Region* const region = pages.region_of(object);
        if (region == nullptr) [[unlikely]] {
            tell(pages::Wrong::foreign, object, true);
            return;
        }
        next = *static_cast<uintptr_t*>(object);
        pages.release(*region, object,
                      [this](pages::Wrong what, const void* wrong) { tell(what, wrong, true); });
    }
}

template class ThreadHeaps<PagesOfThread>;

}  // namespace malloom::heaps
