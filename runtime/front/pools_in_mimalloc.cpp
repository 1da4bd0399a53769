// Pools that are heaps of mimalloc's.
#include "runtime/front/sites.h"

namespace malloom::front {

// A site that gets none stays the fallback's.
void Sites::begin_pool_in_mimalloc(Site& site, size_t bytes) {
    const int heap =
        bytes <= largest_pooled ? process_heaps.fallback.add_heap(bytes) : heaps::FallbackHeap::no_heap;
    if (heap == heaps::FallbackHeap::no_heap) {
        set_pool(site, {});
        end_doubt(site, most_frames);
        return;
    }
    set_pool(site, {static_cast<uint32_t>(bytes) | SitePool::in_mimalloc, static_cast<uint32_t>(heap)});
    set_kind(site, Site::Kind::pooled);
}

}  // namespace malloom::front
