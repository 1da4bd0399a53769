#include "runtime/front/sites.h"

#include "checks/check.h"
#include "runtime/context/token.h"
#include "runtime/platform/memory.h"

namespace malloom::front {

using formats::plan::deeper_pools;
using formats::plan::no_group;
using formats::plan::no_pool;
using formats::plan::PlanContext;
using Kind = Site::Kind;

bool Sites::open(const heaps::PlanFile* plan, Learning learning) {
    plan_ = plan;
    key_mask_ = learning.is_fast ? 0 : ~uintptr_t{0};
    may_leave_ = learning.may_leave;
    const bool wanted = learning.learns || (plan != nullptr && plan->header().pools_count != 0);
    are_in_mimalloc_ = learning.in_mimalloc && !learning.learns && process_heaps.fallback.plain_end() != 0;
    has_pools_ = wanted && (are_in_mimalloc_ || process_heaps.pools.open());
    learns_ = learning.learns && has_pools_;
    colocates_ = learning.colocates && learns_;
    return has_pools_ == wanted;
}

// Of a request of these bytes, where the client is known and still there.
bool Sites::has_room(SitePool pool) noexcept {
    if (pool.is_in_mimalloc()) {
        return true;
    }
    const size_t chunk = process_heaps.pools.heap.chunk_bytes(pool.client);
    return pool.bytes == no_pool || chunk == 0 || pool.bytes <= chunk;
}

bool Sites::is_valid(const Site& site) noexcept {
    return has_room(site.pooled.now()) && depth_of(site) <= most_frames;
}

Site& Sites::find(uintptr_t key, const uintptr_t* frames, unsigned depth, Site* below) {
    auto& entry = contexts_.find_or_insert(
        frames, depth, [&](Contexts::Entry& fresh) { describe(fresh.value, frames, depth, below); });
    // Not the catch-all, which has no address and would be looked for again anyway.
    if (entry.depth == depth) {
        entry.value.key = key;
        keep(key, entry.value);
        MALLOOM_CHECK_FULL(is_valid(entry.value));
    }
    return entry.value;
}

void Sites::keep(uintptr_t key, Site& site) {
    auto& recent = recent_[key % recent_sites];
    __atomic_store_n(&recent.site, &site, __ATOMIC_RELEASE);
    const bool is_of_any_size =
        site.kind() == Kind::settled || (site.kind() == Kind::pooled && site.has_common_pool);
    const uint32_t group = __atomic_load_n(&site.group, __ATOMIC_RELAXED);
    const bool has_slot = heaps::PlanHeap::has_slot(site);
    const bool has_place = group != no_group || has_slot;
    const bool is_grouped = site.kind() == Kind::settled && group != no_group && !has_slot;
    const bool is_common = learns_ && is_of_any_size && !has_place;
    // Of others the caller or the companion is asked.
    const bool is_fallbacks =
        site.kind() == Kind::settled && __atomic_load_n(&site.plain_end, __ATOMIC_RELAXED) != 0;
    recent.pooled.set(is_common      ? SitePool{SitePool::of_any_size, heaps::PoolHeap::none}
                      : is_fallbacks ? SitePool{SitePool::of_fallback, heaps::PoolHeap::none}
                      : is_grouped   ? SitePool{SitePool::of_group, heaps::PoolHeap::none}
                                     : site.pooled.now());
    const bool leads_on = site.kind() == Kind::wrapper && !has_slot;
    recent.distance = leads_on ? context::Reach::plain_distance(site.step) : 0;
    const uintptr_t mask = __atomic_load_n(&site.is_left, __ATOMIC_RELAXED) ? 0 : key_mask_;
    __atomic_store_n(&recent.key, key ^ mask, __ATOMIC_RELEASE);
}

void Sites::set_pool(Site& site, SitePool pool) {
    site.pooled.set(pool);
    refresh(site);
}

void Sites::set_kind(Site& site, Kind kind) {
    site.set_kind(kind);
    site.colocation.set_fast_path(false);
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
        if (!site->note_end(end.end())) {
            site->is_watched = false;
            set_kind(*site, Kind::settled);
        }
    }
}

void Sites::describe(Site& site, const uintptr_t* frames, unsigned depth, Site* below) {
    site.is_site = true;
    site.return_address = frames[depth - 1];
    site.below = below;
    if (below != nullptr) {
        site.step = context::step_from(site.return_address);
    }
    const PlanContext* planned =
        plan_ != nullptr ? plan_->find_context(context::stable_hash_or_token(frames, depth)) : nullptr;
    if (planned != nullptr) {
        process_heaps.plan.assign(site, planned->first_slot, planned->slots);
        site.group = planned->group;
    }
    const bool leads_on = planned != nullptr && planned->pool_bytes == deeper_pools;
    if (site.group == no_group && (has_pools_ || leads_on)) {
        describe_pool(site, planned, depth);
    }
}

void Sites::describe_pool(Site& site, const PlanContext* planned, unsigned depth) {
    const uint32_t pool_bytes = planned != nullptr ? heaps::PlanFile::pool_bytes(*planned) : no_pool;
    if (is_recursion(site)) {
        return;
    }
    site.is_watched = learns_;
    site.set_kind(learns_ ? Kind::watched : Kind::settled);
    if (pool_bytes == deeper_pools) {
        site.is_planned = !has_pools_;
        end_doubt(site, depth);
    } else if (pool_bytes != no_pool && heaps::PlanHeap::has_slot(site)) {
        set_pool(site, {pool_bytes, heaps::PoolHeap::none});
    } else if (pool_bytes != no_pool && !begin_planned_colocation(site, *planned)) {
        begin_pool(site, pool_bytes, true);
        site.is_watched = site.kind() == Kind::pooled;  // here its requests may be others
    }
}

bool Sites::begin_planned_colocation(Site& site, const PlanContext& planned) {
    // Of a token's requests no caller's registers are known.
    const bool has_companions =
        planned.companion_place != formats::plan::no_companion && !context::is_token(site.return_address);
    const uint32_t client =
        has_companions ? process_heaps.pools.heap.add(planned.pool_bytes) : heaps::PoolHeap::none;
    if (client == heaps::PoolHeap::none ||
        !site.colocation.begin(planned.pool_bytes, client, planned.companion_place - 1U,
                               planned.companion_offset, planned.companion_objects)) {
        return false;
    }
    begin_colocation(site, client);
    return true;
}

void Sites::begin_colocation(Site& site, uint32_t client) {
    set_pool(site, {no_pool, client});
    has_companions_ = true;
    set_kind(site, Kind::colocated);
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

void Sites::observe(Site& site, size_t bytes) {
    using Verdict = context::RequestMonitor::Verdict;
    if (site.kind() == Kind::colocated && bytes == site.colocation.bytes()) {
        return;  // short of memory
    }
    if (site.kind() == Kind::pooled || site.kind() == Kind::colocated) {
        if (site.monitor.observe_other_size()) {
            set_kind(site, Kind::watched);
            set_pool(site, {no_pool, site.pooled.now().client});
        }
        return;
    }
    if (site.kind() != Kind::watched) {
        return;
    }
    const Verdict verdict = site.monitor.observe(bytes);
    if (verdict == Verdict::agree) {
        begin_pool(site, bytes, !learns_);
    } else if (verdict == Verdict::disagree) {
        end_doubt(site, learns_ ? depth_of(site) : most_frames);
    }
}

// Of a site whose requests agree; its pools are the common ones of the size class, until it gets its own.
// What a plan names has them at once.
void Sites::begin_pool(Site& site, size_t bytes, bool is_planned) {
    if (are_in_mimalloc_) {
        begin_pool_in_mimalloc(site, bytes);
        return;
    }
    heaps::PoolHeap& heap = process_heaps.pools.heap;
    const uint32_t known = site.pooled.now().client;
    const bool fits = !site.has_common_pool && heap.chunk_bytes(known) == heap.chunk_for(bytes);
    const uint32_t client = fits                     ? known
                            : bytes > largest_pooled ? heaps::PoolHeap::none
                            : is_planned             ? heap.add(bytes)
                                                     : heap.common(bytes);
    if (client == heaps::PoolHeap::none) {
        end_doubt(site, most_frames);
        return;
    }
    site.has_common_pool = !fits && !is_planned;
    site.living_at_first = 0;
    set_pool(site, {static_cast<uint32_t>(bytes), client});
    set_kind(site, Kind::pooled);
}

// A pool holds a page at least, so a further thread's first requests come from the common pools of the size
// class.
static bool opens_pools(heaps::PoolThread& self, uint32_t client) {
    constexpr uint16_t most_left = 32;
    heaps::LocalPools& local = self.local(client);
    if (local.owned != nullptr || local.asked >= most_left || heaps::PoolHeap::is_first(self)) {
        return true;
    }
    ++local.asked;
    return false;
}

void Sites::look_at_requests_in_a_row(heaps::PoolThread& self) {
    // Of a thread that has no table, one stands in that nobody counts with.
    if (self.left_in_a_row >= 0 || self.is_busy) {
        return;
    }
    self.left_in_a_row = ProcessPools::most_in_a_row;
    if (plan_ == nullptr) {
        __atomic_store_n(&has_served_by_size_, true, __ATOMIC_RELAXED);
        serve_by_size(true);
    }
}

void Sites::look_for_sites(heaps::PoolThread& self) {
    self.left_in_a_row = ProcessPools::most_in_a_row;
    if (serves_by_size()) {
        serve_by_size(false);
    }
}

void Sites::serve_by_size(bool wanted) {
    __atomic_store_n(&serves_by_size_, wanted, __ATOMIC_RELEASE);
    if (told_ != nullptr) {
        told_(told_argument_);
    }
}

void* Sites::allocate_common(size_t bytes) {
    heaps::PoolThread& self = process_heaps.pools.own_thread();
    look_at_requests_in_a_row(self);
    heaps::PoolHeap& heap = process_heaps.pools.heap;
    return heap.allocate(self, heap.common(bytes));
}

void* Sites::allocate_pooled_slow(Requester& requester, SitePool pool) {
    heaps::PoolHeap& heap = process_heaps.pools.heap;
    heaps::PoolThread& self = process_heaps.pools.own_thread();
    if (self.is_busy) {
        return nullptr;  // a signal handler's
    }
    MALLOOM_CHECK(has_room(pool));  // what does not fit would lie in its neighbours too
    // Only sites have pools.
    auto& site = static_cast<Site&>(requester);
    if (site.has_common_pool) {
        look_at_requests_in_a_row(self);
        void* object = heap.allocate(self, pool.client);
        if (object != nullptr) {
            give_own_pool(site, pool);
        }
        return object;
    }
    if (!opens_pools(self, pool.client)) {
        return heap.allocate(self, heap.common(pool.bytes));
    }
    look_for_sites(self);
    for (Site* wrapper = site.below; wrapper != nullptr; wrapper = wrapper->below) {
        wrapper->note_end(Site::End::grown_pool);
    }
    return heap.allocate(self, pool.client);
}

// Objects that are made and freed in turn gain nothing from a pool; those that stay do. The requests that
// find no free chunk are the ones that more objects live after, most of them of the sites that these are of:
// a site gets its own pools when so many more of the class live since its first such request as fill
// two pages.
void Sites::give_own_pool(Site& site, SitePool pool) {
    const uint64_t enough_bytes = 2 * platform::page_bytes();
    const uint64_t living = process_heaps.pools.own_thread().local(pool.client).living;
    if (site.living_at_first == 0 || living < site.living_at_first) {
        site.living_at_first = living;
        return;
    }
    if ((living - site.living_at_first) * pool.bytes < enough_bytes ||
        !__atomic_exchange_n(&site.has_common_pool, false, __ATOMIC_RELAXED)) {
        return;
    }
    const uint32_t client = process_heaps.pools.heap.add(pool.bytes);
    if (client != heaps::PoolHeap::none && !look_for_companions(site, pool.bytes, client)) {
        set_pool(site, {pool.bytes, client});
    }
}

// Each site once. A pool that were known would serve the requests before the companion is asked for.
bool Sites::look_for_companions(Site& site, uint32_t bytes, uint32_t client) {
    if (!colocates_ || context::is_token(site.key) || site.colocation.was_tried() ||
        !site.colocation.look(bytes, client)) {
        return false;
    }
    begin_colocation(site, client);
    return true;
}

void Sites::end_colocation(Site& site) {
    const Colocation& colocation = site.colocation;
    set_pool(site, {colocation.bytes(), colocation.client()});
    set_kind(site, Kind::pooled);
}

void* Sites::allocate_colocated(size_t bytes, const context::CallerState& caller) {
    if (!has_companions_) {
        return nullptr;
    }
    Site& site = deciding(caller.caller());
    if (site.kind() != Kind::colocated || bytes != site.colocation.bytes() ||
        heaps::PlanHeap::has_slot(site)) {
        return nullptr;
    }
    void* object = site.colocation.allocate(caller);
    if (site.colocation.is_over()) [[unlikely]] {
        end_colocation(site);
    } else {
        site.colocation.set_fast_path(true);
    }
    return object;
}

void Sites::begin_planned_pool(Requester& requester) {
    const SitePool planned = requester.pooled.now();
    if (planned.bytes != no_pool && planned.client == heaps::PoolHeap::none) {
        auto& site = static_cast<Site&>(requester);
        begin_pool(site, planned.bytes, true);
        site.is_watched = site.kind() == Kind::pooled;
    }
}

// The site's requests do not agree: its callers' may, where it has some.
void Sites::end_doubt(Site& site, unsigned depth) {
    if (site.below == nullptr && !context::is_token(site.return_address)) {
        site.step = context::step_from(site.return_address);
    }
    const bool is_wrapper = depth < most_frames && context::Reach::leads_on(site.step);
    site.is_watched = is_wrapper;
    set_kind(site, is_wrapper ? Kind::wrapper : Kind::settled);
}

// One more than a chain may have where there are more.
unsigned Sites::depth_of(const Site& site) {
    unsigned depth = 1;
    for (const Site* below = site.below; below != nullptr && depth <= most_frames; below = below->below) {
        ++depth;
    }
    return depth;
}

}  // namespace malloom::front
