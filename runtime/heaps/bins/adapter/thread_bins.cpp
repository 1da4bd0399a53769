#include "runtime/heaps/bins/adapter/thread_bins.h"

#include "runtime/heaps/bins/bin_heap.h"
#include "runtime/platform/memory.h"
#include "runtime/platform/output.h"

namespace malloom::heaps {

using bins::Region;
using structures::Locked;
using State = OwnedBins::State;

namespace {

using Call = bins::BinHeap<bins::ShippedPolicy>;

constexpr size_t alignment = 16;

/// A thread is within an instance. Plain stores: only its own signal handlers look. Those go into instances
/// of nobody too, while they interrupt one.
class BusyScope {
  public:
    explicit BusyScope(OwnedBins& self) : self_(self), was_busy_(self.is_busy) {
        if (!was_busy_) {
            self_.is_busy = true;
        }
        __atomic_signal_fence(__ATOMIC_SEQ_CST);
    }
    ~BusyScope() {
        __atomic_signal_fence(__ATOMIC_SEQ_CST);
        if (!was_busy_) {
            self_.is_busy = false;
        }
    }
    BusyScope(const BusyScope&) = delete;
    BusyScope& operator=(const BusyScope&) = delete;

  private:
    OwnedBins& self_;
    bool was_busy_;
};

State state_of(const OwnedBins& instance) {
    return static_cast<State>(__atomic_load_n(&instance.state, __ATOMIC_SEQ_CST));
}
void set_state(OwnedBins& instance, State state) {
    __atomic_store_n(&instance.state, static_cast<uint8_t>(state), __ATOMIC_SEQ_CST);
}

[[gnu::always_inline]] inline bool is_empty(const Region& region) {
    return region.first->head == (bins::room_of(region) | bins::before_lives);
}

[[gnu::always_inline]] inline void* try_allocate(OwnedBins& self, const Request& request) {
    Call call(self.bins);
    call.release_deferred();
    return request.alignment > alignment ? call.allocate_aligned(request.alignment, request.bytes)
                                         : call.allocate(request.bytes);
}

/// The tags beside an address tell what is there in most cases, those of all chunks before it for sure.
malloom_bins_result looked_into(const Region& region, const bins::Chunk& place, malloom_bins_result what) {
    const bins::Chunk* chunk = region.first;
    while (chunk < region.end && bins::fits(region, *chunk, bins::bytes_of(*chunk))) {
        const bins::Chunk* const next = &bins::after(*chunk, bins::bytes_of(*chunk));
        if (next > &place) {
            return (chunk->head & bins::lives) == 0 ? MALLOOM_BINS_FREED_BEFORE
                   : chunk == &place                ? what
                                                    : MALLOOM_BINS_FOREIGN;
        }
        chunk = next;
    }
    return what;
}

/// A bounded heap takes one at each call.
void take_all_deferred(OwnedBins& self) {
    Call call(self.bins);
    while (structures::load(self.bins.deferred) != 0) {
        call.release_deferred();
    }
}

}  // namespace

bool ThreadBins::open(void* region, size_t bytes) {
    const auto start = reinterpret_cast<uintptr_t>(region);
    constexpr size_t for_instances = (most_instances + 1) * sizeof(OwnedBins);
    hooks_.context = this;
    hooks_.failed = [](void* context, malloom_bins_result why, uintptr_t about) {
        static_cast<ThreadBins*>(context)->misused(why, reinterpret_cast<void*>(about), true);
    };
    instances_ = static_cast<OwnedBins*>(region);
    return regions_.open(start, bytes, for_instances);
}

void ThreadBins::close() {
    regions_ = BinRegions();
    instances_ = nullptr;
    idle_ = nullptr;
    instances_count_ = 0;
}

OwnedBins* ThreadBins::join() {
    const Locked locked(lock_);
    OwnedBins* self = idle_;
    if (self != nullptr) {
        idle_ = self->next_idle;
        set_state(*self, State::owned);
        return self;
    }
    if (instances_count_ == most_instances || !open_instance(instances_[instances_count_ + 1])) {
        return nullptr;
    }
    const uint32_t number = instances_count_ + 1;
    self = &instances_[number];
    self->number = number;
    __atomic_store_n(&instances_count_, number, __ATOMIC_RELAXED);
    set_state(*self, State::owned);
    return self;
}

// Bounded: programs may leave any number of free chunks in a bin, and none of them may make a call slow.
bool ThreadBins::open_instance(OwnedBins& self) {
    malloom_bins_settings settings = {};
    settings.alignment = alignment;
    settings.options = MALLOOM_BINS_BOUNDED;
    settings.hooks = &hooks_;
    settings.storage = self.storage;
    settings.storage_bytes = sizeof self.storage;
    return malloom_bins_open(&self.bins, &settings) == MALLOOM_BINS_OK;
}

void ThreadBins::leave(OwnedBins& self) {
    const Locked locked(lock_);
    // Whoever frees an object after this sees it; what came before is taken here.
    set_state(self, State::idle);
    take_all_deferred(self);
    remove_empty(self);
    self.spare = nullptr;
    self.next_idle = idle_;
    idle_ = &self;
}

void* ThreadBins::allocate(OwnedBins& self, const Request& request) {
    if (self.is_busy || request.bytes > largest_bytes || request.alignment > largest_alignment) [[unlikely]] {
        return nullptr;
    }
    const BusyScope busy(self);
    void* object = try_allocate(self, request);
    return object != nullptr ? object : allocate_slow(self, request);
}

void* ThreadBins::allocate_slow(OwnedBins& self, const Request& request) {
    if (structures::load(self.bins.deferred) != 0) {
        take_all_deferred(self);
        if (void* object = try_allocate(self, request)) {
            return object;
        }
    }
    return grow(self) ? try_allocate(self, request) : nullptr;
}

// By as much as it has: so there are few regions, however large the heap.
bool ThreadBins::grow(OwnedBins& self) {
    size_t bytes = 0;
    for (const Region* region = self.bins.regions; region != nullptr; region = region->next) {
        bytes += bins::room_of(*region);
    }
    bytes = bytes < most_region_bytes ? bytes : most_region_bytes;
    const Locked locked(lock_);
    const BinRegions::Taken taken =
        regions_.take(bytes > BinRegions::unit_bytes ? bytes : BinRegions::unit_bytes, self.number);
    return taken.start != nullptr &&
           malloom_bins_add_region(&self.bins, taken.start, taken.bytes, 0) == MALLOOM_BINS_OK;
}

void ThreadBins::release(OwnedBins& self, void* object) {
    if (regions_.owner_of(object) != self.number || self.is_busy) [[unlikely]] {
        release_others(self, object);
        return;
    }
    const BusyScope busy(self);
    Region& region = regions_.region_of(object);
    Call call(self.bins);
    call.release_deferred();
    if (const auto wrong = bins::judge<true>(self.bins, &region, object); wrong != MALLOOM_BINS_OK)
        [[unlikely]] {
        misused(wrong, object, false);
    }
    call.release(object, 0);
    if (is_empty(region)) [[unlikely]] {
        look_after_empty(self, region);
    }
}

void ThreadBins::release_others(OwnedBins& self, void* object) {
    const uint32_t number = regions_.owner_of(object);
    if (number == 0) {
        misused(MALLOOM_BINS_FOREIGN, object, false);
    }
    OwnedBins& owner = instances_[number];
    instances_[self.number].for_others.add(number != self.number);
    const BusyScope busy(self);
    if (state_of(owner) == State::frozen) {
        return;
    }
    malloom_bins_free_later(&owner.bins, object);
    if (state_of(owner) == State::idle) {
        clear_idle(owner, object);
    }
}

// Of a handler that interrupted who has the lock the object is left to whoever comes next.
void ThreadBins::clear_idle(OwnedBins& owner, const void* object) {
    if (lock_.is_mine()) {
        return;
    }
    const Locked locked(lock_);
    if (state_of(owner) != State::idle) {
        return;
    }
    take_all_deferred(owner);
    // Another thread may have taken it, and the region gone.
    if (regions_.owner_of(object) == owner.number && is_empty(regions_.region_of(object))) {
        remove(owner, regions_.region_of(object));
    }
}

// One stays, for a thread that frees all that it has and begins anew.
void ThreadBins::look_after_empty(OwnedBins& owner, const Region& region) {
    if (owner.spare == nullptr || owner.spare == &region || !is_empty(*owner.spare)) {
        owner.spare = &region;
        return;
    }
    const Locked locked(lock_);
    remove(owner, region);
}

void ThreadBins::remove(OwnedBins& owner, const Region& region) {
    malloom_bins_remove_region(&owner.bins, region.memory);
    regions_.discard(region);
    regions_.give_back(region);
}

void ThreadBins::remove_empty(OwnedBins& owner) {
    for (const Region* region = owner.bins.regions; region != nullptr;) {
        const Region* const next = region->next;
        if (is_empty(*region)) {
            remove(owner, *region);
        }
        region = next;
    }
}

bool ThreadBins::resize(OwnedBins& self, void* object, const Request& request) {
    if (regions_.owner_of(object) != self.number || self.is_busy || request.bytes > largest_bytes) {
        return fits_room(request.bytes, usable_size(object));
    }
    const BusyScope busy(self);
    Call call(self.bins);
    const Region& region = regions_.region_of(object);
    if (const auto wrong = bins::judge<true>(self.bins, &region, object); wrong != MALLOOM_BINS_OK)
        [[unlikely]] {
        misused(wrong, object, false);
    }
    return call.resize(object, request.bytes, 0);
}

// The owner may just be changing the flags beside the size. The size stays while the object lives, and one
// load reads it whole.
[[gnu::no_sanitize("thread")]] size_t ThreadBins::usable_size(const void* object) const {
    return (__atomic_load_n(&bins::chunk_of(object).head, __ATOMIC_RELAXED) & ~bins::flags) -
           bins::overhead_bytes;
}

// A request that cannot be served is none of these: it was asked without the hook's being called.
void ThreadBins::misused(malloom_bins_result what, const void* object, bool was_deferred) const {
    if (owns(object) && regions_.owner_of(object) != 0) {
        what = looked_into(regions_.region_of(object), bins::chunk_of(object), what);
    }
    if (on_misuse_ != nullptr) {
        on_misuse_(what, object, was_deferred);
    }
    platform::abort_with(what == MALLOOM_BINS_FREED_BEFORE
                             ? "malloom: free of an object that was freed before"
                             : "malloom: free of an address where no object begins");
}

// Whoever forks may be a handler that interrupted the holder.
void ThreadBins::before_fork() {
    const bool has_locked = !lock_.is_mine();
    if (has_locked) {
        lock_.lock();
    }
    locked_for_fork_ = has_locked;
}

void ThreadBins::after_fork() {
    if (locked_for_fork_) {
        lock_.unlock();
    }
}

// What others had on its way to an owner may be there in part only, so it is left out.
void ThreadBins::after_fork_in_child(const OwnedBins* self) {
    const uint32_t own = self != nullptr ? self->number : 0;
    bool had_others = false;
    for (uint32_t number = 1; number <= instances_count_; ++number) {
        had_others |= number != own && state_of(instances_[number]) == State::owned;
    }
    for (uint32_t number = 1; had_others && number <= instances_count_; ++number) {
        OwnedBins& instance = instances_[number];
        instance.bins.deferred = 0;
        if (number != own && state_of(instance) == State::owned) {
            set_state(instance, State::frozen);
        }
    }
    after_fork();
}

ThreadBinsCounts ThreadBins::counts() const {
    const uint32_t instances = __atomic_load_n(&instances_count_, __ATOMIC_RELAXED);
    uint64_t freed_by_others = 0;
    for (uint32_t number = 0; number <= instances; ++number) {
        freed_by_others += instances_[number].for_others.now();
    }
    return {instances, regions_.regions(), regions_.most_taken_bytes(), freed_by_others};
}

}  // namespace malloom::heaps
