// The heaps as HeapConformance makes and asks them.
#pragma once

#include <mutex>

#include "hardware/model/chunk_unit.h"
#include "runtime/heaps/bins/adapter/thread_bins.h"
#include "runtime/heaps/colocation/colocation_heap.h"
#include "runtime/heaps/fallback/fallback_heap.h"
#include "runtime/heaps/pages/adapter/region_pages.h"
#include "runtime/heaps/pages/adapter/thread_pages.h"
#include "runtime/heaps/plan/group_heap.h"
#include "runtime/heaps/plan/plan_heap.h"
#include "runtime/platform/memory.h"
#include "runtime/structures/freestanding/unit_search.h"
#include "tests/runtime/heaps/heap_conformance.h"
#include "tests/runtime/heaps/plan/plan_builder.h"

namespace malloom::tests {

/// Any heap over a region that it is given.
template <heaps::RegionHeap Heap>
class OverRegion {
  public:
    static constexpr size_t largest_bytes = size_t{16} << 10;
    static constexpr size_t largest_alignment = size_t{16} << 10;
    static constexpr bool has_threads = true;
    static constexpr bool reuses = true;
    static constexpr bool is_bounded = true;

    OverRegion() : region_(platform::map_pages(region_bytes)) {
        EXPECT_FALSE(heap_.owns(region_)) << "before it is open";
        EXPECT_TRUE(heap_.open(region_, region_bytes));
    }
    ~OverRegion() { platform::unmap_pages(region_, region_bytes); }
    OverRegion(const OverRegion&) = delete;
    OverRegion& operator=(const OverRegion&) = delete;

    Heap& heap() { return heap_; }
    static heaps::Request request(size_t bytes, size_t alignment) { return {bytes, alignment}; }
    void end_thread() {}

  private:
    static constexpr size_t region_bytes = size_t{8} << 20;
    void* region_;
    Heap heap_;
};

/// The page heap by one of the ways to search its bitmaps.
template <class Search>
using PagesOverRegion = OverRegion<heaps::RegionPages<heaps::pages::PageHeap<Search>>>;

/// The chunk unit as a model. There is one.
struct ModelledUnit {
    template <structures::UnitRequest request>
    static uint32_t ask(uint32_t kind_and_word, uint32_t data) {
        return unit().answer(
            {static_cast<uint8_t>(request), static_cast<uint8_t>(kind_and_word), kind_and_word >> 8, data});
    }

  private:
    static hardware::ChunkUnit& unit() {
        static hardware::ChunkUnit the_unit;
        return the_unit;
    }
};

/// The page heap by that unit, which all such heaps share: whoever is asked has its bitmaps there.
class PagesByUnit {
  public:
    ~PagesByUnit() {
        const std::lock_guard locked(unit_lock());
        if (last() == this) {
            last() = nullptr;
        }
    }

    bool open(void* region, size_t bytes) { return Turn(*this).heap.open(region, bytes); }
    void* allocate(const heaps::Request& request) { return Turn(*this).heap.allocate(request); }
    void deallocate(void* object) { Turn(*this).heap.deallocate(object); }
    bool owns(const void* object) const { return heap_.owns(object); }
    size_t usable_size(const void* object) const { return heap_.usable_size(object); }
    bool resize(void* object, const heaps::Request& request) const { return heap_.resize(object, request); }

  private:
    using Pages = heaps::pages::PageHeap<structures::SearchInUnit<ModelledUnit>>;
    using Heap = heaps::RegionPages<Pages>;

    /// The unit is this heap's, and nobody else's meanwhile.
    struct Turn {
        explicit Turn(PagesByUnit& of) : locked(unit_lock()), heap(of.heap_) {
            if (last() == &of) {
                return;
            }
            if (last() != nullptr) {
                last()->state_.save();
            }
            of.state_.restore();
            last() = &of;
        }

        std::lock_guard<std::mutex> locked;
        Heap& heap;
    };

    static std::mutex& unit_lock() {
        static std::mutex mutex;
        return mutex;
    }
    static PagesByUnit*& last() {
        static PagesByUnit* heap = nullptr;
        return heap;
    }

    Heap heap_;
    Pages::UnitState state_ = {};
};

/// A plan in memory, and whoever opens it.
class InPlan {
  protected:
    explicit InPlan(PlanBuilder builder) {
        size_t bytes = 0;
        image_ = builder.build(bytes);
        EXPECT_TRUE(plan_.open(reinterpret_cast<const unsigned char*>(image_.data()), bytes))
            << plan_.problem();
    }
    ~InPlan() { plan_.close(); }
    InPlan(const InPlan&) = delete;
    InPlan& operator=(const InPlan&) = delete;

    heaps::PlanFile plan_;

  private:
    std::vector<uint64_t> image_;
};

/// Slots for every size, and for every size aligned to a page, at places that come again and again.
class PlannedSlots : InPlan {
  public:
    static constexpr size_t largest_bytes = 1024;
    static constexpr size_t largest_alignment = 4096;
    static constexpr bool has_threads = true;
    static constexpr bool reuses = true;
    static constexpr bool is_bounded = true;

    PlannedSlots() : InPlan(make()) {
        EXPECT_TRUE(heap_.open(plan_));
        for (size_t i = 0; i < requesters_count; ++i) {
            const auto* found = plan_.find_context(i + 1);
            heap_.assign(requesters_[i], found->first_slot, found->slots);
        }
    }
    ~PlannedSlots() { heap_.close(); }

    heaps::PlanHeap& heap() { return heap_; }
    heaps::Request request(size_t bytes, size_t alignment) {
        const size_t last = structures::last_granule(bytes);
        const size_t first_of_kind = alignment > structures::granule_bytes ? most_granules : 0;
        return {bytes, alignment, &requesters_[last < most_granules ? first_of_kind + last : 0]};
    }
    void end_thread() {}

  private:
    static constexpr size_t most_granules = largest_bytes / structures::granule_bytes;
    static constexpr size_t requesters_count = 2 * most_granules;
    static constexpr uint32_t places = 64;
    static constexpr uint32_t slots = 1500;
    static constexpr uint32_t page_granules = largest_alignment / structures::granule_bytes;

    static PlanBuilder make() {
        PlanBuilder builder(uint64_t{requesters_count} * places * page_granules * structures::granule_bytes);
        uint32_t start = 0;
        for (uint32_t number = 0; number < requesters_count; ++number) {
            const auto granules = static_cast<uint32_t>(number % most_granules + 1);
            const uint32_t step = number < most_granules ? granules : page_granules;
            start = (start + page_granules - 1) / page_granules * page_granules;
            std::vector<PlanBuilder::Slot> its;
            for (uint32_t i = 0; i < slots; ++i) {
                its.push_back({start + i % places * step, granules});
            }
            builder.add_context(number + 1, its);
            start += places * step;
        }
        return builder;
    }

    heaps::PlanHeap heap_;
    heaps::PlannedContext requesters_[requesters_count];
};

/// One group for small requests, one for those that are larger.
class PlannedGroups : InPlan {
  public:
    static constexpr size_t largest_bytes = size_t{16} << 10;
    static constexpr size_t largest_alignment = 4096;
    static constexpr bool has_threads = true;
    static constexpr bool reuses = true;
    static constexpr bool is_bounded = false;

    PlannedGroups() : InPlan(make()) {
        EXPECT_TRUE(heap_.open(plan_));
        requesters_[0].group = 0;
        requesters_[1].group = 1;
    }
    ~PlannedGroups() { heap_.close(); }

    heaps::GroupHeap& heap() { return heap_; }
    heaps::Request request(size_t bytes, size_t alignment) {
        return {bytes, alignment, &requesters_[bytes > least_large ? 1 : 0]};
    }
    void end_thread() {}

  private:
    static constexpr size_t least_large = 1024;
    static PlanBuilder make() {
        PlanBuilder builder(0);
        builder.groups = {{16384, least_large, 1 << 20, 0}, {65536, largest_bytes, 1 << 20, 0}};
        return builder;
    }

    heaps::GroupHeap heap_;
    heaps::PlannedContext requesters_[2];
};

/// Pools with a table for each thread that comes, as a front keeps them.
class SizedPools {
  public:
    static constexpr size_t largest_bytes = heaps::largest_chunk;
    static constexpr size_t largest_alignment = heaps::PoolHeap::chunk_alignment;
    static constexpr bool has_threads = true;
    static constexpr bool reuses = true;
    static constexpr bool is_bounded = true;

    SizedPools() { EXPECT_TRUE(pools_.open(size_t{64} << 20)); }
    virtual ~SizedPools() {
        end_thread();
        pools_.close();
    }
    SizedPools(const SizedPools&) = delete;
    SizedPools& operator=(const SizedPools&) = delete;

    SizedPools& heap() { return *this; }
    static heaps::Request request(size_t bytes, size_t alignment) { return {bytes, alignment}; }
    void end_thread() {
        if (heaps::PoolThread* table = tables[this]) {
            pools_.leave(*table);
        }
        tables.erase(this);
    }

    void* allocate(const heaps::Request& request) {
        return request.bytes <= largest_bytes && request.alignment <= largest_alignment ? claim(request.bytes)
                                                                                        : nullptr;
    }
    void deallocate(void* object) {
        if (!pools_.release_fast(self(), object)) {
            pools_.release(self(), object);
        }
    }
    bool owns(const void* object) const { return pools_.owns(object); }
    size_t usable_size(const void* object) const { return pools_.usable_size(object); }
    bool resize(const void* object, const heaps::Request& request) const {
        return heaps::fits_room(request.bytes, usable_size(object));
    }

  protected:
    virtual void* claim(size_t bytes) { return take(pools_.common(bytes)); }
    void* take(uint32_t client) {
        void* object = pools_.allocate_fast(self(), client);
        return object != nullptr ? object : pools_.allocate(self(), client);
    }
    heaps::PoolThread& self() {
        heaps::PoolThread*& table = tables[this];
        if (table == nullptr) {
            table = pools_.join();
        }
        return *table;
    }

    heaps::PoolHeap pools_;

  private:
    static inline thread_local std::map<const void*, heaps::PoolThread*> tables;
};

/// Pools of an aligned range each.
class AlignedPools : public SizedPools {
  public:
    AlignedPools() {
        for (size_t i = 0; i < classes; ++i) {
            clients_[i] = pools_.add_aligned((i + 1) * heaps::granule_bytes, pool_bytes);
        }
    }

  protected:
    void* claim(size_t bytes) override {
        return take(clients_[(bytes - (bytes != 0)) / heaps::granule_bytes]);
    }

  private:
    static constexpr size_t pool_bytes = size_t{64} << 10;
    static constexpr size_t classes = largest_bytes / heaps::granule_bytes;
    uint32_t clients_[classes];
};

/// Each object beside the one before of its size, where the co-location heap has places for that size.
class PoolsBesideCompanions : public SizedPools {
  public:
    // A friend that another thread frees meanwhile is looked at in no order, which ThreadSanitizer rightly
    // calls a race. Threads whose companions live are colocation_heap_test's.
    static constexpr bool has_threads = false;
    // As the pools are: what fills them has no friends.
    static constexpr bool is_bounded = false;

  protected:
    void* claim(size_t bytes) override {
        const uint32_t number = colocation_.add(bytes);
        if (number == heaps::ColocationHeap::none) {
            return SizedPools::claim(bytes);
        }
        // A friend that has the size is taken for the last of the siblings.
        void* object = colocation_.allocate(self(), number, last_[number], 0);
        last_[number] = reinterpret_cast<uintptr_t>(object);
        return object;
    }

  private:
    heaps::ColocationHeap colocation_{pools_};
    uintptr_t last_[heaps::ColocationHeap::largest_bytes] = {};
};

/// Heaps of a kind with an instance for each thread that comes, as a front keeps them.
template <class Heap>
class InstancesOfThreads {
  public:
    static constexpr size_t largest_bytes = size_t{16} << 10;
    static constexpr size_t largest_alignment = heaps::ThreadHeaps<Heap>::largest_alignment;
    static constexpr bool has_threads = true;
    static constexpr bool reuses = true;
    static constexpr bool is_bounded = true;

    InstancesOfThreads() : region_(platform::reserve_addresses(region_bytes, platform::page_bytes())) {
        EXPECT_FALSE(heaps_.owns(region_)) << "before it is open";
        EXPECT_TRUE(heaps_.open(region_, region_bytes));
    }
    ~InstancesOfThreads() {
        end_thread();
        platform::unmap_pages(region_, region_bytes);
    }
    InstancesOfThreads(const InstancesOfThreads&) = delete;
    InstancesOfThreads& operator=(const InstancesOfThreads&) = delete;

    InstancesOfThreads& heap() { return *this; }
    static heaps::Request request(size_t bytes, size_t alignment) { return {bytes, alignment}; }
    void end_thread() {
        if (heaps::Owned<Heap>* own = instances()[this]) {
            heaps_.leave(*own);
        }
        instances().erase(this);
    }

    void* allocate(const heaps::Request& request) { return heaps_.allocate(self(), request); }
    void deallocate(void* object) { heaps_.release(self(), object); }
    bool owns(const void* object) const { return heaps_.owns(object); }
    size_t usable_size(const void* object) const { return heaps_.usable_size(object); }
    bool resize(void* object, const heaps::Request& request) {
        return heaps_.resize(self(), object, request);
    }

    heaps::Owned<Heap>& self() {
        heaps::Owned<Heap>*& own = instances()[this];
        if (own == nullptr) {
            own = heaps_.join();
        }
        return *own;
    }
    heaps::ThreadHeaps<Heap>& all() { return heaps_; }

  private:
    static constexpr size_t region_bytes = size_t{64} << 20;
    // Within a function: GCC 12 takes no two such members of class templates.
    static std::map<const void*, heaps::Owned<Heap>*>& instances() {
        thread_local std::map<const void*, heaps::Owned<Heap>*> own;
        return own;
    }
    void* region_;
    heaps::ThreadHeaps<Heap> heaps_;
};

template <heaps::FallbackKind kind>
class Fallback {
  public:
    static constexpr size_t largest_bytes = size_t{20} << 10;
    static constexpr size_t largest_alignment = size_t{1} << 20;
    static constexpr bool has_threads = true;
    // AddressSanitizer, which takes the C library's place, keeps what was freed apart.
#if defined(__SANITIZE_ADDRESS__)
    static constexpr bool reuses = kind != heaps::FallbackKind::system;
#else
    static constexpr bool reuses = true;
#endif
    static constexpr bool is_bounded = false;

    Fallback() { heap_.choose(kind); }
    heaps::FallbackHeap& heap() { return heap_; }
    static heaps::Request request(size_t bytes, size_t alignment) { return {bytes, alignment}; }
    void end_thread() {}

  private:
    heaps::FallbackHeap heap_;
};

}  // namespace malloom::tests
