// Sites that are left alone, as walks or steps to their callers led nowhere.
#include "runtime/front/sites.h"

namespace malloom::front {

bool Sites::has_place(const Requester& requester) {
    return heaps::PlanHeap::has_slot(requester) ||
           __atomic_load_n(&requester.group, __ATOMIC_RELAXED) != formats::plan::no_group ||
           requester.is_watched || requester.pooled.now().bytes != formats::plan::no_pool;
}

// All chains are gone through once for a site, until the memory has grown: they may be many.
void Sites::leave(Site& site) {
    if (!may_leave_ || __atomic_exchange_n(&site.was_looked_at, true, __ATOMIC_RELAXED)) {
        return;
    }
    bool is_needed = has_place(site);
    contexts_.for_each([&](const Contexts::Entry& entry) {
        is_needed |= entry.depth > 1 && entry.frames[0] == site.return_address && has_place(entry.value);
    });
    if (!is_needed) {
        __atomic_store_n(&site.is_left, true, __ATOMIC_RELAXED);
        refresh(site);
    }
}

void Sites::return_to_left() {
    contexts_.for_each([&](Contexts::Entry& entry) {
        Site& site = entry.value;
        if (__atomic_load_n(&site.was_looked_at, __ATOMIC_RELAXED)) {
            __atomic_store_n(&site.is_left, false, __ATOMIC_RELAXED);
            __atomic_store_n(&site.unmatched_in_a_row, 0, __ATOMIC_RELAXED);
            __atomic_store_n(&site.was_looked_at, false, __ATOMIC_RELAXED);
            refresh(site);
        }
        if (site.is_planned && site.kind() == Site::Kind::settled) {
            site.return_credit();
            site.is_watched = true;
            set_kind(site, Site::Kind::wrapper);
        }
    });
}

}  // namespace malloom::front
