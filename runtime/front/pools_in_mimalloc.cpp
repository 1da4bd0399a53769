// Pools that are heaps of mimalloc's.
#include "runtime/front/sites.h"

namespace malloom::front {

// A site that gets none stays the fallback's. One that had one keeps it: a heap serves any size.
void Sites::begin_pool_in_mimalloc(Site& site, size_t bytes) {
    const uint32_t known = site.pooled.now().client;
    const uint32_t heap = bytes > largest_pooled                  ? heaps::FallbackHeap::no_heap
                          : known != heaps::FallbackHeap::no_heap ? known
                                                                  : process_heaps.fallback.add_heap(bytes);
    if (heap == heaps::FallbackHeap::no_heap) {
        set_pool(site, {});
        end_doubt(site, most_frames);
        return;
    }
    set_pool(site, SitePool::within_mimalloc(bytes, heap));
    set_kind(site, Site::Kind::pooled);
}

}  // namespace malloom::front
