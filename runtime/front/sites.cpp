#include "runtime/front/sites.h"

#include "runtime/context/stable_hash.h"

namespace malloom::front {

using formats::plan::deeper_pools;
using formats::plan::no_group;
using formats::plan::no_pool;
using formats::plan::PlanContext;
using Kind = Site::Kind;

bool Sites::open(const heaps::PlanFile* plan, bool learns, bool is_quick) {
    plan_ = plan;
    key_mask_ = is_quick ? 0 : ~uintptr_t{0};
    const bool wanted = learns || (plan != nullptr && plan->header().pools_count != 0);
    has_pools_ = wanted && pools().open();
    learns_ = learns && has_pools_;
    return has_pools_ == wanted;
}

Site& Sites::find(uintptr_t key, const uintptr_t* frames, unsigned depth, Site* below) {
    auto& entry = contexts_.find_or_insert(
        frames, depth, [&](Contexts::Entry& fresh) { describe(fresh.value, frames, depth, below); });
    // Not the catch-all, which has no address and would be looked for again anyway.
    if (entry.depth == depth) {
        entry.value.key = key;
        keep(key, entry.value);
    }
    return entry.value;
}

void Sites::keep(uintptr_t key, Site& site) {
    auto& recent = recent_[key % recent_sites];
    __atomic_store_n(&recent.site, &site, __ATOMIC_RELEASE);
    recent.pooled.set(site.pooled.now());
    const bool leads_on = site.kind() == Kind::wrapper && !heaps::PlanHeap::has_slot(site);
    recent.distance = leads_on ? context::Reach::plain_distance(site.step) : 0;
    __atomic_store_n(&recent.key, key ^ key_mask_, __ATOMIC_RELEASE);
}

void Sites::set_pool(Site& site, heaps::PoolOfRequester pool) {
    site.pooled.set(pool);
    refresh(site);
}

void Sites::set_kind(Site& site, Kind kind) {
    site.set_kind(kind);
    site.friendship.set_quick(false);
    refresh(site);
}

void Sites::refresh(Site& site) {
    if (find_recent(site.key) == &site) {
        keep(site.key, site);
    }
}

Sites::Contexts::Entry& Sites::of_chain(const uintptr_t* frames, unsigned depth) {
    return contexts_.find_or_insert(
        frames, depth, [&](Contexts::Entry& fresh) { describe(fresh.value, frames, depth, nullptr); });
}

Site& Sites::reach(Site& wrapper, const context::Caller& caller) {
    uintptr_t frames[most_frames];
    context::Reach reach(caller);
    Site* site = &wrapper;
    for (unsigned depth = 1; site->kind() == Kind::wrapper; ++depth) {
        frames[depth - 1] = reach.return_address();
        if (depth == most_frames || !reach.go(site->step.rule)) {
            settle_ends(*site);
            return unknown_;
        }
        frames[depth] = reach.return_address();
        Site* next = find_recent(reach.key());
        site = next != nullptr ? next : &find(reach.key(), frames, depth + 1, site);
    }
    settle_ends(*site);
    return *site;
}

// Tells the wrappers what came of a request.
void Sites::settle_ends(Site& end) {
    const Kind kind = end.kind();
    if (kind == Kind::watched) {
        return;
    }
    for (Site* site = kind == Kind::wrapper ? &end : end.below; site != nullptr; site = site->below) {
        if (!site->note_end(kind == Kind::pooled || kind == Kind::friends)) {
            site->is_watched = false;
            set_kind(*site, Kind::settled);
        }
    }
}

void Sites::describe(Site& site, const uintptr_t* frames, unsigned depth, Site* below) {
    site.return_address = frames[depth - 1];
    site.below = below;
    if (below != nullptr) {
        site.step = context::step_from(site.return_address);
    }
    const PlanContext* planned =
        plan_ != nullptr ? plan_->find_context(context::stable_hash(frames, depth)) : nullptr;
    if (planned != nullptr) {
        heap_.first.assign(site, planned->first_slot, planned->slots);
        site.group = planned->group;
    }
    if (site.group == no_group && has_pools_) {
        describe_pool(site, planned, depth);
    }
}

void Sites::describe_pool(Site& site, const PlanContext* planned, unsigned depth) {
    const uint32_t pool_bytes = planned != nullptr ? planned->pool_bytes : no_pool;
    if (is_recursion(site)) {
        return;
    }
    site.is_watched = learns_;
    site.set_kind(learns_ ? Kind::watched : Kind::settled);
    if (pool_bytes == deeper_pools) {
        end_doubt(site, depth);
    } else if (pool_bytes != no_pool && heaps::PlanHeap::has_slot(site)) {
        set_pool(site, {pool_bytes, heaps::PoolHeap::none});
    } else if (pool_bytes != no_pool && !begin_planned_friendship(site, *planned)) {
        begin_pool(site, pool_bytes);
    }
}

bool Sites::begin_planned_friendship(Site& site, const PlanContext& planned) {
    using namespace formats::plan;
    const uint32_t family = planned.near != no_near ? pools().add(planned.pool_bytes) : heaps::PoolHeap::none;
    if (family == heaps::PoolHeap::none ||
        !site.friendship.begin(planned.pool_bytes, family, place_of_near(planned.near),
                               offset_of_near(planned.near), siblings_of_near(planned.near))) {
        return false;
    }
    begin_friendship(site, family);
    return true;
}

void Sites::begin_friendship(Site& site, uint32_t family) {
    set_pool(site, {no_pool, family});
    has_friends_ = true;
    set_kind(site, Kind::friends);
}

// A chain is reduced: of each function it has the innermost frame (reduced_chain.h), and here it ends where
// another would be left out.
bool Sites::is_recursion(const Site& site) const {
    for (const Site* below = site.below; below != nullptr; below = below->below) {
        if (below->step.function == site.step.function) {
            return true;
        }
    }
    return false;
}

void Sites::note(Site& site, size_t bytes) {
    using Verdict = context::RequestMonitor::Verdict;
    if (site.kind() == Kind::friends && bytes == site.friendship.bytes()) {
        return;  // short of memory
    }
    if (site.kind() == Kind::pooled || site.kind() == Kind::friends) {
        if (site.monitor.note_stray()) {
            set_kind(site, Kind::watched);
            set_pool(site, {no_pool, site.pooled.now().family});
        }
        return;
    }
    if (site.kind() != Kind::watched) {
        return;
    }
    const Verdict verdict = site.monitor.note(bytes);
    if (verdict == Verdict::agree) {
        begin_pool(site, bytes);
    } else if (verdict == Verdict::disagree) {
        end_doubt(site, depth_of(site));
    }
}

void Sites::begin_pool(Site& site, size_t bytes) {
    const uint32_t known = site.pooled.now().family;
    const bool fits = heaps::PoolHeap::chunk_bytes(known) == heaps::PoolHeap::chunk_for(bytes);
    const uint32_t family = fits                      ? known
                            : bytes <= largest_pooled ? pools().add(bytes)
                                                      : heaps::PoolHeap::none;
    if (family == heaps::PoolHeap::none) {
        end_doubt(site, most_frames);
        return;
    }
    if (look_for_friends(site, static_cast<uint32_t>(bytes), family)) {
        return;
    }
    set_pool(site, {static_cast<uint32_t>(bytes), family});
    set_kind(site, Kind::pooled);
}

// Each site once. A pool that were known would serve the requests before the friend is asked for.
bool Sites::look_for_friends(Site& site, uint32_t bytes, uint32_t family) {
    if (!learns_ || site.friendship.was_tried() || !site.friendship.look(bytes, family)) {
        return false;
    }
    begin_friendship(site, family);
    return true;
}

void Sites::end_friendship(Site& site) {
    const Friendship& friendship = site.friendship;
    set_pool(site, {friendship.bytes(), friendship.family()});
    set_kind(site, Kind::pooled);
}

void* Sites::allocate_beside(size_t bytes, const context::CallerState& caller) {
    if (!has_friends_) {
        return nullptr;
    }
    Site& site = deciding(caller.caller());
    if (site.kind() != Kind::friends || bytes != site.friendship.bytes() || heaps::PlanHeap::has_slot(site)) {
        return nullptr;
    }
    void* object = site.friendship.allocate(caller);
    if (site.friendship.is_over()) [[unlikely]] {
        end_friendship(site);
    } else {
        site.friendship.set_quick(true);
    }
    return object;
}

void Sites::begin_planned_pool(heaps::Requester& requester) {
    const heaps::PoolOfRequester planned = requester.pooled.now();
    if (planned.bytes != no_pool && planned.family == heaps::PoolHeap::none) {
        begin_pool(static_cast<Site&>(requester), planned.bytes);
    }
}

// The site's requests do not agree: its callers' may, where it has some.
void Sites::end_doubt(Site& site, unsigned depth) {
    if (site.below == nullptr) {
        site.step = context::step_from(site.return_address);
    }
    const bool is_wrapper = depth < most_frames && context::Reach::leads_on(site.step);
    site.is_watched = is_wrapper;
    set_kind(site, is_wrapper ? Kind::wrapper : Kind::settled);
}

unsigned Sites::depth_of(const Site& site) {
    unsigned depth = 1;
    for (const Site* below = site.below; below != nullptr; below = below->below) {
        ++depth;
    }
    return depth;
}

}  // namespace malloom::front
