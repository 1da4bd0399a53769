// Every composition that a program can get, behind one face: what the malloc family asks of a heap. The
// conformance, stress and fuzz tests run over all of them.
#pragma once

#include <gtest/gtest.h>

#include <atomic>

#include "runtime/front/process_heaps.h"
#include "runtime/heaps/plan/slot_matching.h"
#include "runtime/platform/memory.h"
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

class Composition {
  public:
    virtual ~Composition() {
        heap.pools.close();
        heap.groups.close();
        heap.plan.close();
        plan.close();
    }

    virtual void* allocate(size_t bytes, size_t alignment, unsigned context) {
        heaps::Requester& asking = requester(bytes, context);
        void* object = heap.plan.allocate_small(bytes, alignment, asking);
        return object != nullptr ? object : heap.allocate({bytes, alignment, &asking});
    }
    virtual void* allocate_zeroed(size_t bytes, unsigned context) {
        return heap.allocate_zeroed({bytes, 0, &requester(bytes, context)});
    }
    virtual void* reallocate(void* object, size_t bytes, unsigned context) {
        return heap.reallocate(object, {bytes, 0, &requester(bytes, context)});
    }
    void deallocate(void* object) { heap.deallocate(object); }
    size_t usable_size(void* object) const { return heap.usable_size(object); }

    front::ProcessHeaps heap;

  protected:
    void open(PlanBuilder& builder) {
        heap.fallback.choose(heaps::FallbackKind::mimalloc);
        size_t bytes = 0;
        image = builder.build(bytes);
        ASSERT_TRUE(plan.open(reinterpret_cast<const unsigned char*>(image.data()), bytes)) << plan.problem();
        heap.plan.open(plan);
        heap.groups.open(plan);
    }
    virtual heaps::Requester& requester(size_t bytes, unsigned context) = 0;

    std::vector<uint64_t> image;
    heaps::PlanFile plan;
};

/// Requests find slots and groups by context.
class ByContext : public Composition {
  public:
    explicit ByContext(PlanBuilder builder) {
        open(builder);
        for (unsigned i = 0; i < composition_contexts; ++i) {
            if (const auto* found = plan.find_context(i + 1)) {
                heap.plan.assign(requesters[i], found->first_slot, found->slots);
                requesters[i].group = found->group;
            }
        }
    }

  protected:
    heaps::Requester& requester(size_t, unsigned context) override {
        return requesters[context % composition_contexts];
    }
    heaps::Requester requesters[composition_contexts];
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
    heaps::Requester& requester(size_t bytes, unsigned) override {
        static thread_local const void* known = nullptr;
        static thread_local heaps::ThreadSequence sequence;
        static thread_local heaps::Requester requester;
        if (known != this) {
            known = this;
            sequence = {};
            requester = {};
            if (const auto* found = plan.sequence(threads++)) {
                heap.plan.assign(requester, found->first_slot, found->slots);
            }
        }
        return heaps::advance_sequence(sequence, requester, bytes) ? requester : nobody;
    }
    std::atomic<uint64_t> threads{0};
    heaps::Requester nobody;
};

/// Requests up to a bound come from the common pools of their size class.
class Pools : public Composition {
  public:
    Pools() {
        heap.fallback.choose(heaps::FallbackKind::checked_mimalloc);
        EXPECT_TRUE(heap.pools.open());
    }
    void* allocate(size_t bytes, size_t alignment, unsigned) override {
        void* object = claim({bytes, alignment});
        return object != nullptr ? object : heap.allocate({bytes, alignment, &nobody});
    }
    void* allocate_zeroed(size_t bytes, unsigned) override {
        void* object = claim({bytes, 0});
        return object != nullptr ? memset(object, 0, bytes) : heap.allocate_zeroed({bytes, 0, &nobody});
    }
    void* reallocate(void* object, size_t bytes, unsigned) override {
        return heap.reallocate(object, {bytes, 0, &nobody},
                               [this](const heaps::Request& request) { return claim(request); });
    }

  protected:
    static constexpr size_t largest = 3000;
    void* claim(const heaps::Request& request) {
        if (request.bytes > largest || request.alignment > heaps::PoolHeap::chunk_alignment) {
            return nullptr;
        }
        const uint32_t borrower = heap.pools.heap.common(request.bytes);
        void* object = heap.pools.allocate_fast(borrower);
        return object != nullptr ? object : heap.pools.allocate(borrower);
    }
    heaps::Requester& requester(size_t, unsigned) override { return nobody; }
    heaps::Requester nobody;
};

/// Small requests come from the calling thread's bin heap.
class Bins : public Composition {
  public:
    Bins() : region_(platform::reserve_addresses(region_bytes, platform::page_bytes())) {
        heap.fallback.choose(heaps::FallbackKind::mimalloc);
        EXPECT_TRUE(heap.bins.open(region_, region_bytes));
    }
    ~Bins() override {
        heap.bins.close();
        platform::unmap_pages(region_, region_bytes);
    }

  protected:
    heaps::Requester& requester(size_t, unsigned) override { return nobody; }
    heaps::Requester nobody;

  private:
    static constexpr size_t region_bytes = size_t{256} << 20;
    void* region_;
};

template <heaps::FallbackKind kind>
class FallbackAlone : public Composition {
  public:
    FallbackAlone() { heap.fallback.choose(kind); }

  protected:
    heaps::Requester& requester(size_t, unsigned) override { return nobody; }
    heaps::Requester nobody;
};

using MimallocFallback = FallbackAlone<heaps::FallbackKind::mimalloc>;
using CheckedFallback = FallbackAlone<heaps::FallbackKind::checked_mimalloc>;
using SystemFallback = FallbackAlone<heaps::FallbackKind::system>;
using AllCompositions = testing::Types<ContextMatching, Groups, SequenceMatching, Pools, Bins,
                                       MimallocFallback, CheckedFallback, SystemFallback>;

}  // namespace malloom::tests
