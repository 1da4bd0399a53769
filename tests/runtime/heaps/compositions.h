// Every composition that a program can get, on the run time's own route through it. The
// conformance, stress and fuzz tests run over all of them.
#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <new>

#include "runtime/front/route.h"
#include "runtime/heaps/plan/slot_matching.h"
#include "tests/runtime/heaps/plan/plan_builder.h"

namespace malloom::tests {

constexpr unsigned composition_contexts = 8;
constexpr uint64_t composition_arena = uint64_t{64} << 20;

/// Slots of sizes 16 to 2048 bytes at places that overlap here and there, as those of objects that do not
/// live together.
inline std::vector<PlanBuilder::Slot> mixed_slots(unsigned seed, size_t count) {
    std::vector<PlanBuilder::Slot> slots;
    for (size_t i = 0; i < count; ++i) {
        const auto granules = static_cast<uint32_t>(1 + (i * 7 + seed) % 128);
        const auto start = static_cast<uint32_t>((seed * 131072 + i * 61) % (composition_arena / 16 - 128));
        slots.push_back({start, granules});
    }
    return slots;
}

/// Over the heaps of this process, which begin anew with each composition: one lives at a time.
class Composition {
  public:
    Composition() { front::ProcessPools::prepare(); }
    Composition(const Composition&) = delete;
    Composition& operator=(const Composition&) = delete;
    virtual ~Composition() {
        heap.bins.close();
        heap.pools.close();
        heap.groups.close();
        heap.plan.close();
        plan.close();
        new (&heap) front::ProcessHeaps();
    }

    void* allocate(size_t bytes, size_t alignment, unsigned context) {
        return route.serve_soon(bytes, alignment, requester(bytes, context));
    }
    void* allocate_zeroed(size_t bytes, unsigned context) {
        return route.serve_zeroed({bytes, 0, &requester(bytes, context)});
    }
    void* reallocate(void* object, size_t bytes, unsigned context) {
        return route.serve_again(object, {bytes, 0, &requester(bytes, context)});
    }
    void deallocate(void* object) { route.deallocate(object); }
    static size_t usable_size(void* object) { return front::Route::usable_size(object); }

    front::ProcessHeaps& heap = front::process_heaps;
    front::Route route;

  protected:
    void open(PlanBuilder& builder) {
        size_t bytes = 0;
        image = builder.build(bytes);
        ASSERT_TRUE(open(image, bytes)) << plan.problem();
    }
    /// False where the plan is refused. The image outlives the composition.
    bool open(const std::vector<uint64_t>& of, size_t bytes) {
        heap.fallback.choose(heaps::FallbackKind::mimalloc);
        if (!plan.open(reinterpret_cast<const unsigned char*>(of.data()), bytes)) {
            return false;
        }
        heap.plan.open(plan);
        heap.groups.open(plan);
        return route.open_sites(&plan, {});
    }
    /// The slots and the group that the plan has for contexts 1 and on.
    void assign(front::Requester (&requesters)[composition_contexts]) {
        for (unsigned i = 0; i < composition_contexts; ++i) {
            if (const auto* found = plan.find_context(i + 1)) {
                heap.plan.assign(requesters[i], found->first_slot, found->slots);
                requesters[i].group = found->group;
            }
        }
    }
    virtual front::Requester& requester(size_t, unsigned) { return nobody; }

    std::vector<uint64_t> image;
    heaps::PlanFile plan;
    front::Requester nobody;
};

/// Requests find slots and groups by context.
class ByContext : public Composition {
  public:
    explicit ByContext(PlanBuilder builder) {
        open(builder);
        assign(requesters);
    }

  protected:
    front::Requester& requester(size_t, unsigned context) override {
        return requesters[context % composition_contexts];
    }
    front::Requester requesters[composition_contexts];
};

class ContextMatching : public ByContext {
  public:
    ContextMatching() : ByContext(make()) {}
    static PlanBuilder make() {
        PlanBuilder builder(composition_arena);
        for (unsigned i = 0; i < composition_contexts; ++i) {
            builder.add_context(i + 1, mixed_slots(i, 20000));
        }
        return builder;
    }
};

class Groups : public ByContext {
  public:
    Groups() : ByContext(make()) {}
    static PlanBuilder make() {
        PlanBuilder builder(composition_arena);
        builder.groups = {
            {4096, 1024, 1 << 20, 0}, {65536, 4096, 1 << 20, 0}, {1 << 20, 1 << 20, 1 << 20, 0}};
        for (unsigned i = 0; i < composition_contexts; ++i) {
            builder.add_context(i + 1, i % 2 == 0 ? std::vector<PlanBuilder::Slot>{} : mixed_slots(i, 1000),
                                i % 3);
        }
        return builder;
    }
};

class SequenceMatching : public Composition {
  public:
    SequenceMatching() {
        PlanBuilder builder(composition_arena, formats::plan::Matching::sequence);
        for (unsigned i = 0; i < 4; ++i) {
            builder.add_sequence(mixed_slots(i, 20000));
        }
        open(builder);
    }

  protected:
    // One composition lives at a time; a thread begins its sequence anew in each.
    front::Requester& requester(size_t bytes, unsigned) override {
        static thread_local const void* known = nullptr;
        static thread_local front::Requester requester;
        if (known != this) {
            known = this;
            requester = {};
            if (const auto* found = plan.sequence(threads++)) {
                heap.plan.assign(requester, found->first_slot, found->slots);
            }
        }
        return heaps::advance_sequence(requester, bytes) ? requester : nobody;
    }
    std::atomic<uint64_t> threads{0};
};

/// Small requests come from the common pools of their size class, as nobody's are not worth pools of their
/// own.
class Pools : public Composition {
  public:
    Pools() {
        heap.fallback.choose(heaps::FallbackKind::checked_mimalloc);
        EXPECT_TRUE(route.open_sites(nullptr, {true, false, false, false}));
        route.go(front::Route::Way::pools_alone);
    }
};

/// A site for each size and context, whose pool is a heap of mimalloc's.
class PoolsInMimalloc : public Composition {
  public:
    PoolsInMimalloc() : requesters(new front::Requester[most_bytes * composition_contexts]) {
        heap.fallback.choose(heaps::FallbackKind::mimalloc);
        for (size_t i = composition_contexts; i < most_bytes * composition_contexts; ++i) {
            const size_t bytes = i / composition_contexts;
            const uint32_t number = heap.fallback.add_heap(bytes);
            EXPECT_NE(number, heaps::FallbackHeap::no_heap);
            requesters[i].pooled.set(front::SitePool::within_mimalloc(bytes, number));
        }
    }

  protected:
    static constexpr size_t most_bytes = 1024;
    front::Requester& requester(size_t bytes, unsigned context) override {
        return bytes < most_bytes ? requesters[bytes * composition_contexts + context % composition_contexts]
                                  : nobody;
    }
    std::unique_ptr<front::Requester[]> requesters;
};

/// Small requests come from the calling thread's bin heap.
class Bins : public Composition {
  public:
    Bins() {
        heap.fallback.choose(heaps::FallbackKind::mimalloc);
        EXPECT_STREQ(route.open_region_heap("bins"), "bins");
        route.go(front::Route::Way::region);
    }
};

template <heaps::FallbackKind kind>
class FallbackAlone : public Composition {
  public:
    FallbackAlone() {
        heap.fallback.choose(kind);
        route.go(front::Route::Way::fallback);
    }
};

using MimallocFallback = FallbackAlone<heaps::FallbackKind::mimalloc>;
using CheckedFallback = FallbackAlone<heaps::FallbackKind::checked_mimalloc>;
using SystemFallback = FallbackAlone<heaps::FallbackKind::system>;
using AllCompositions = testing::Types<ContextMatching, Groups, SequenceMatching, Pools, PoolsInMimalloc,
                                       Bins, MimallocFallback, CheckedFallback, SystemFallback>;

}  // namespace malloom::tests
