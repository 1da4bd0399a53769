// Who asks: call sites by their return address, and where these lie in wrappers their callers too. Decides
// which of them have pools (Zhao, Rabbah, Wong, section 2).
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "runtime/context/caller.h"
#include "runtime/context/context_table.h"
#include "runtime/front/process_heaps.h"
#include "runtime/front/site.h"

namespace malloom::front {

/// One static object, constant-initialized. Thread-safe.
class Sites {
  public:
    using Contexts = context::ContextTable<Site>;

    /// Requests of more bytes get no pool.
    static constexpr size_t largest_pooled = formats::plan::largest_pooled;
    /// Frames of the deepest chain that has a pool of its own.
    static constexpr unsigned most_frames = formats::plan::most_pool_frames;

    // By the low bits of the key. What is not to be found at once has the complement in its place. Racing
    // threads may leave the key of one site with another, or with what was its pool; requests then get that
    // one's slots, or chunks of that pool if these have their size.
    struct alignas(32) Recent {
        uintptr_t key;
        SitePool pooled;    // the site's
        uint64_t distance;  // of a wrapper: Reach::plain_distance
        Site* site;

        [[gnu::always_inline]] bool is(uintptr_t return_address) const {
            return __atomic_load_n(&key, __ATOMIC_ACQUIRE) == return_address;
        }
        [[gnu::always_inline]] Site* site_now() const { return __atomic_load_n(&site, __ATOMIC_RELAXED); }
        /// Whether all requests of the site are mimalloc's.
        [[gnu::always_inline]] bool is_fallbacks() const {
            return pooled.now().bytes == SitePool::of_fallback;
        }
        /// An object of the site's group, where nothing else serves it and there is room at hand; else null.
        [[gnu::always_inline]] void* take_grouped(size_t bytes) const {
            return pooled.now().bytes == SitePool::of_group ? Sites::take_grouped(bytes, *site_now())
                                                            : nullptr;
        }
    };

    struct Learning {
        bool learns;               ///< sites are watched, and get the pools that they are worth
        bool colocates;            ///< those whose objects belong beside others are looked for
        bool is_fast;              ///< find_fast finds them
        bool may_leave;            ///< it finds those that were left
        bool in_mimalloc = false;  ///< a plan's pools are heaps of mimalloc's, where that serves the rest
    };
    /// Before the first request. `plan` may be null. False where there are to be pools and no address space
    /// for them.
    bool open(const heaps::PlanFile* plan, Learning learning);

    /// A chunk of the common pools, where one is at hand and they serve requests of the size; else null.
    [[gnu::always_inline]] static void* allocate_by_size(size_t bytes) {
        if (bytes > heaps::PoolHeap::most_small) [[unlikely]] {
            return nullptr;
        }
        return process_heaps.pools.allocate_fast(heaps::PoolHeap::small_common(bytes));
    }

    /// A chunk of the pool of the call's site, where both are at hand; else null.
    [[gnu::always_inline]] void* allocate_pooled(size_t bytes, uintptr_t return_address) const {
        const Recent& recent = recent_of(return_address);
        return recent.is(return_address) ? take_chunk(recent.pooled.now(), bytes) : nullptr;
    }
    /// The same, and the fallback's where all requests of the site are; `other` where there is more to ask.
    template <class FromFallback, class Other>
    [[gnu::always_inline]] void* allocate_soon(size_t bytes, uintptr_t return_address,
                                               FromFallback from_fallback, Other other) const {
        const Recent& recent = recent_of(return_address);
        if (!recent.is(return_address)) [[unlikely]] {
            return other(bytes);
        }
        if (void* object = take_chunk(recent.pooled.now(), bytes)) {
            return object;
        }
        // Read again, so that a chunk costs no register that keeps it.
        return recent.is_fallbacks() ? from_fallback(bytes) : other(bytes);
    }

    /// The same where pools are heaps of mimalloc's.
    template <class FromFallback, class FromHeap, class Other>
    [[gnu::always_inline]] void* allocate_soon_in(size_t bytes, uintptr_t return_address,
                                                  FromFallback from_fallback, FromHeap from_heap,
                                                  Other other) const {
        const Recent& recent = recent_of(return_address);
        if (!recent.is(return_address)) [[unlikely]] {
            return other(bytes);
        }
        const SitePool pool = recent.pooled.now();
        if (pool.bytes == SitePool::of_fallback) {
            return from_fallback(bytes);
        }
        // Of a site without a pool this takes some sizes of nearly 2^64 for its own: there is no heap 0.
        return pool.bytes == bytes + SitePool::in_mimalloc ? from_heap(bytes, pool.client) : other(bytes);
    }

    /// What is known of a call's site, if it was met lately.
    [[gnu::always_inline]] const Recent* met_lately(uintptr_t return_address) const {
        const Recent& recent = recent_of(return_address);
        return recent.is(return_address) ? &recent : nullptr;
    }

    /// For a call in a wrapper: what is known of the wrapper's caller, if it was met lately and is no wrapper
    /// itself. `wrapper` is what is known of the call; `place` is where the return address lies.
    [[gnu::always_inline]] __attribute__((no_sanitize("address", "thread", "undefined"))) const Recent*
    reached_lately(const Recent& wrapper, uintptr_t return_address, uintptr_t place) const {
        const uintptr_t above = place + wrapper.distance;
        // Of another page it would have to be asked whether it can be read.
        if (wrapper.distance == 0 || context::ReadablePages::page_of(above ^ place) != 0) {
            return nullptr;
        }
        const uintptr_t key =
            context::Reach::key_above(return_address, *reinterpret_cast<const volatile uintptr_t*>(above));
        const Recent* caller = met_lately(key);
        return caller != nullptr && caller->site_now()->kind() != Site::Kind::wrapper ? caller : nullptr;
    }
    /// Of such a caller: a chunk of its pool or of its group, where one is at hand; else null.
    [[gnu::always_inline]] static void* allocate_reached(size_t bytes, const Recent& wrapper,
                                                         const Recent& caller) {
        const SitePool pool = caller.pooled.now();
        if (pool.is_in_mimalloc_for(bytes)) {
            void* const object = malloom_mimalloc_try_in(bytes, pool.client);
            if (object != nullptr) [[likely]] {
                wrapper.site->note_end(Site::End::heap);
            }
            return object;
        }
        Site* site = caller.site_now();
        if (!wrapper.site->note_end(site->end())) {
            return nullptr;
        }
        void* const object = take_chunk(pool, bytes);
        return object != nullptr ? object : take_grouped(bytes, *site);
    }

    /// Of the site's group, where that has room at hand; null where it has none, or is no group's.
    [[gnu::always_inline]] static void* take_grouped(size_t bytes, const Site& site) {
        return process_heaps.groups.allocate_small(bytes, __atomic_load_n(&site.group, __ATOMIC_RELAXED));
    }

    /// The site of a call, if it was met lately.
    [[gnu::always_inline]] Site* find_fast(uintptr_t return_address) const {
        const Recent* recent = met_lately(return_address);
        return recent != nullptr ? recent->site_now() : nullptr;
    }
    [[gnu::always_inline]] Site& at(uintptr_t return_address) {
        Site* site = find_recent(return_address);
        return site != nullptr ? *site : find(return_address, &return_address, 1, nullptr);
    }

    /// The site that `deciding` finds for a call in a wrapper, if all on the way to it were met lately; else
    /// null.
    [[gnu::always_inline]] Site* reach_fast(Site& wrapper, const context::Caller& caller) const {
        context::Reach reach(caller);
        Site* site = &wrapper;
        do {
            site = reach.go(site->step.rule) ? find_fast(reach.key()) : nullptr;
        } while (site != nullptr && site->kind() == Site::Kind::wrapper);
        return site;
    }

    /// The site that decides for this caller: that of its call, or where that one is a wrapper, of a caller.
    [[gnu::always_inline]] Site& deciding(const context::Caller& caller) {
        Site& site = at(caller.return_address);
        const bool decides = site.kind() != Site::Kind::wrapper || heaps::PlanHeap::has_slot(site);
        return decides ? site : reach(site, caller);
    }

    /// An object beside its companion, where the deciding site's objects have companions; else null.
    void* allocate_colocated(size_t bytes, const context::CallerState& caller);

    /// The entry of a whole chain.
    Contexts::Entry& of_chain(const uintptr_t* frames, unsigned depth);

    /// Whether a slot, a group or a pool may serve it, now or when it has been looked at.
    static bool has_place(const Requester& requester);
    /// Of a site whose chains found no place: from now on find_fast finds it, and nobody asks its callers.
    /// Not where a chain through it that is known has one.
    void leave(Site& site);
    /// Looks for the chains of such sites again.
    void return_to_left();
    /// What serves a site has changed.
    void refresh(Site& site);

    /// Of a request that neither a slot nor a pool serves. It may have a pool afterwards.
    void observe(Site& site, size_t bytes);
    /// The requester, a site, has used its slots up; where the plan has a pool for the time after, that
    /// begins.
    void begin_planned_pool(Requester& requester);
    /// A chunk of the requester's pool where none is at hand; null without memory. A site that gets pools
    /// of its own gets them.
    void* allocate_pooled_slow(Requester& requester, SitePool pool);
    /// A chunk of the common pools.
    void* allocate_common(size_t bytes);

    /// A chunk of the client's, where one is at hand and the thread asked for too many in a row; else null.
    [[gnu::always_inline]] static void* take_at_hand(uint32_t client) {
        return pool_thread->left_in_a_row >= 0 ? process_heaps.pools.allocate_fast(client) : nullptr;
    }

    /// Whether a site that has pools gets chunks of its requests' size, and the wrappers between it and its
    /// call are as many as a chain may have. Thread-safe; a few comparisons, and one for each wrapper.
    static bool is_valid(const Site& site) noexcept;

    /// That there are.
    uint32_t count() const { return contexts_.size(); }

    bool has_pools() const { return has_pools_; }
    bool learns() const { return learns_; }
    /// Whether the plan's pools are heaps of mimalloc's.
    bool are_in_mimalloc() const { return are_in_mimalloc_; }
    /// Whether requests are served by their size now, whoever asks.
    bool serves_by_size() const { return __atomic_load_n(&serves_by_size_, __ATOMIC_ACQUIRE); }
    /// Called when that may have changed, in any thread. Before the first request.
    void when_served_by_size(void (*told)(void* argument), void* argument) {
        told_ = told;
        told_argument_ = argument;
    }
    /// Whether requests of sites that are not known may have been served, by their size.
    bool has_served_by_size() const { return __atomic_load_n(&has_served_by_size_, __ATOMIC_RELAXED); }

    /// Calls visit(const Contexts::Entry&) for each entry but the catch-all.
    template <class Visit>
    void for_each(Visit&& visit) {
        contexts_.for_each([&](Contexts::Entry& entry) {
            if (entry.depth != 0) {
                visit(entry);
            }
        });
    }

  private:
    static constexpr size_t recent_sites = 1024;

    // Compilers would add the table's place in its object to the index, by an instruction of its own, and
    // reckon the address anew for each field.
    [[gnu::always_inline]] const Recent& recent_of(uintptr_t key) const {
        const Recent* first = recent_;
        __asm__("" : "+r"(first));
        const Recent* recent = first + key % recent_sites;
        __asm__("" : "+r"(recent));
        return *recent;
    }
    [[gnu::always_inline]] Site* find_recent(uintptr_t key) const {
        const Recent& recent = recent_of(key);
        const uintptr_t kept = __atomic_load_n(&recent.key, __ATOMIC_ACQUIRE);
        return kept == (key ^ key_mask_) || kept == key ? __atomic_load_n(&recent.site, __ATOMIC_RELAXED)
                                                        : nullptr;
    }
    // Of these pools, where one is at hand; null where they have another size, and and where the thread asked
    // for too many in a row.
    [[gnu::always_inline]] static void* take_chunk(SitePool pool, size_t bytes) {
        if (pool.bytes == bytes) {
            return process_heaps.pools.allocate_fast(pool.client);
        }
        return pool.bytes == SitePool::of_any_size && bytes <= heaps::PoolHeap::most_small &&
                       --pool_thread->left_in_a_row >= 0
                   ? process_heaps.pools.allocate_fast(heaps::PoolHeap::small_common(bytes))
                   : nullptr;
    }
    void keep(uintptr_t key, Site& site);
    void set_pool(Site& site, SitePool pool);
    void set_kind(Site& site, Site::Kind kind);
    [[gnu::noinline]] Site& find(uintptr_t key, const uintptr_t* frames, unsigned depth, Site* below);
    [[gnu::noinline]] Site& reach(Site& wrapper, const context::Caller& caller);
    void settle_ends(Site& end);
    void describe(Site& site, const uintptr_t* frames, unsigned depth, Site* below);
    void describe_pool(Site& site, const formats::plan::PlanContext* planned, unsigned depth);
    bool begin_planned_colocation(Site& site, const formats::plan::PlanContext& planned);
    void begin_colocation(Site& site, uint32_t client);
    bool is_recursion(const Site& site) const;
    void begin_pool(Site& site, size_t bytes, bool is_planned);
    void begin_pool_in_mimalloc(Site& site, size_t bytes);
    bool look_for_companions(Site& site, uint32_t bytes, uint32_t client);
    void end_colocation(Site& site);
    void end_doubt(Site& site, unsigned depth);
    static unsigned depth_of(const Site& site);
    static bool has_room(SitePool pool) noexcept;

    void give_own_pool(Site& site, SitePool pool);
    void look_at_requests_in_a_row(heaps::PoolThread& self);
    void look_for_sites(heaps::PoolThread& self);
    void serve_by_size(bool wanted);

    // Looking for the site costs as much as all the rest of a request, in vain where pools of sites' own do
    // not grow. So a thread that makes so many requests in a row that common pools serve, between two of
    // which no site's own pool needed more chunks, ends the looking for all: small requests
    // are served by their size, until a site's own pool needs chunks. Those that find none in the common
    // pools still lead to their site.
    bool serves_by_size_ = false;
    bool has_served_by_size_ = false;
    const heaps::PlanFile* plan_ = nullptr;
    bool learns_ = false;
    bool colocates_ = false;  // looks for companions
    bool has_pools_ = false;
    bool are_in_mimalloc_ = false;
    bool may_leave_ = false;
    bool has_companions_ = false;  // some site may
    uintptr_t key_mask_ = 0;
    void (*told_)(void* argument) = nullptr;
    void* told_argument_ = nullptr;
    Site unknown_;  // of callers that could not be reached
    Contexts contexts_;
    Recent recent_[recent_sites] = {};
};

}  // namespace malloom::front
