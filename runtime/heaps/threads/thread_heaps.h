// Heaps for the threads of a process, an instance each, as one of the heaps that fronts drive
// (runtime/heaps/heap.h). Which instance is the calling thread's is the front's to know.
//
// An object belongs to the instance that it came from. Its owner alone goes into that instance, without a
// lock. Others leave the object there, and the owner's next call takes it. The instance of a thread that has
// ended waits for the next thread that begins. Until then whoever frees one of its objects takes what was
// left there, under the lock of all.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "runtime/heaps/heap.h"
#include "runtime/heaps/threads/thread_heap.h"
#include "runtime/heaps/threads/thread_regions.h"
#include "runtime/platform/output.h"
#include "runtime/structures/thread_lock.h"

namespace malloom::heaps {

/// How many instances and regions there were, for the line of statistics.
struct ThreadHeapsCounts {
    uint32_t instances;
    uint32_t regions;          ///< now
    size_t most_bytes;         ///< of regions, ever at a time
    uint64_t freed_by_others;  ///< objects
};

/// A thread is within an instance. Plain stores: only its own signal handlers look. Those go into instances
/// of nobody too, while they interrupt one.
class WithinInstance {
  public:
    explicit WithinInstance(bool& is_busy) : is_busy_(is_busy), was_busy_(is_busy) {
        if (!was_busy_) {
            is_busy_ = true;
        }
        __atomic_signal_fence(__ATOMIC_SEQ_CST);
    }
    ~WithinInstance() {
        __atomic_signal_fence(__ATOMIC_SEQ_CST);
        if (!was_busy_) {
            is_busy_ = false;
        }
    }
    WithinInstance(const WithinInstance&) = delete;
    WithinInstance& operator=(const WithinInstance&) = delete;

  private:
    bool& is_busy_;
    bool was_busy_;
};

/// All zero it serves nothing. Thread-safe; and signal handlers may ask, who get nothing where they
/// interrupted the instance that they would have it from. Small requests only: the others are left to the
/// next heap, which has them from the system.
template <class Heap>
class ThreadHeaps {
  public:
    using Instance = Owned<Heap>;
    using Region = typename Heap::Region;

    static constexpr size_t largest_bytes = size_t{256} << 10;
    static constexpr size_t largest_alignment = size_t{64} << 10;

    /// Over a region as of heaps::RegionHeap, which begins at a page and has some megabytes at least.
    /// Addresses alone will do (platform::reserve_addresses): the pages are opened as they are needed.
    bool open(void* region, size_t bytes);
    /// For tests: no thread has an instance that it will use again.
    void close();
    bool is_open() const { return regions_.covers(instances_); }

    /// Called with the address at the free of what is no living object; `was_deferred`: another thread's, or
    /// a handler's, that is only noticed now. The program ends when it returns. Before the first request.
    using OnMisuse = void (*)(ThreadMisuse what, const void* object, bool was_deferred);
    void on_misuse(OnMisuse ends_program) { on_misuse_ = ends_program; }

    /// An instance for a thread that has none: that of an ended one, or a new one. Null where there are too
    /// many.
    Instance* join();
    /// The thread ends. It and its signal handlers use the instance no more.
    void leave(Instance& self);

    // As of a heap, for the thread that has the instance. One that stands for none is always busy.
    [[gnu::always_inline]] void* allocate(Instance& self, const Request& request) {
        if (self.is_busy || request.bytes > largest_bytes || request.alignment > largest_alignment)
            [[unlikely]] {
            return nullptr;
        }
        const WithinInstance busy(self.is_busy);
        void* object = self.Heap::allocate(request);
        return object != nullptr ? object : allocate_slow(self, request);
    }
    [[gnu::always_inline]] void release(Instance& self, void* object) {
        if (regions_.owner_of(object) != self.number || self.is_busy) [[unlikely]] {
            release_others(self, object);
            return;
        }
        const WithinInstance busy(self.is_busy);
        Region& region = region_of(object);
        self.Heap::release(region, object);
        if (Heap::is_empty(region)) [[unlikely]] {
            look_after_empty(self, region);
        }
    }
    bool resize(Instance& self, void* object, const Request& request);
    /// The same of a heap that has the common case alone: null, and false, and nothing has changed, where
    /// there is more to do. They call nothing.
    [[gnu::always_inline]] void* allocate_at_hand(Instance& self, size_t bytes)
        requires HasAtHand<Heap>
    {
        if (self.is_busy) [[unlikely]] {
            return nullptr;
        }
        const WithinInstance busy(self.is_busy);
        return self.Heap::allocate_at_hand(bytes);
    }
    [[gnu::always_inline]] bool release_at_hand(Instance& self, void* object)
        requires HasAtHand<Heap>
    {
        if (!owns(object) || self.is_busy) [[unlikely]] {
            return false;
        }
        const ThreadRegions::Place place = regions_.place_of(object);
        if (place.owner != self.number) [[unlikely]] {
            return false;
        }
        const WithinInstance busy(self.is_busy);
        return self.Heap::release_at_hand(*static_cast<Region*>(place.region), object);
    }
    [[gnu::always_inline]] bool owns(const void* object) const { return regions_.covers(object); }
    size_t usable_size(const void* object) const;

    /// Whoever forks holds it.
    structures::ForkLock& lock() { return lock_; }
    /// In the thread that forked, under the lock. In the child the instances of other threads stay as they
    /// were, and what is freed there stays too: what they were doing is not known. Null: it has none.
    void after_fork_in_child(const Instance* self);

    ThreadHeapsCounts counts() const;

  private:
    using State = typename Instance::State;
    static_assert(ThreadHeap<Heap>);
    static constexpr uint32_t most_instances = 1024;
    static constexpr size_t most_region_bytes = size_t{64} << 20;

    static State state_of(const Instance& instance) {
        return static_cast<State>(__atomic_load_n(&instance.state, __ATOMIC_SEQ_CST));
    }
    static void set_state(Instance& instance, State state) {
        __atomic_store_n(&instance.state, static_cast<uint8_t>(state), __ATOMIC_SEQ_CST);
    }
    [[gnu::always_inline]] Region& region_of(const void* object) const {
        return *static_cast<Region*>(regions_.region_of(object));
    }
    [[gnu::noinline]] void* allocate_slow(Instance& self, const Request& request);
    [[gnu::noinline]] void release_others(Instance& self, void* object);
    void clear_idle(Instance& owner);
    bool grow(Instance& self);
    [[gnu::noinline]] void look_after_empty(Instance& owner, Region& region);
    void remove(Instance& owner, Region& region);
    void remove_empty(Instance& owner);
    [[gnu::noinline, gnu::cold]] void misused(ThreadMisuse what, const void* object, bool was_deferred) const;

    ThreadRegions regions_;
    Instance* instances_ = nullptr;  ///< by number, the first one of nobody
    Instance* idle_ = nullptr;
    uint32_t instances_count_ = 0;
    structures::ForkLock lock_;  ///< of the regions, and of all about idle instances
    OnMisuse on_misuse_ = nullptr;
};

template <class Heap>
bool ThreadHeaps<Heap>::open(void* region, size_t bytes) {
    constexpr size_t for_instances = (most_instances + 1) * sizeof(Instance);
    instances_ = static_cast<Instance*>(region);
    return regions_.open(reinterpret_cast<uintptr_t>(region), bytes, for_instances);
}

template <class Heap>
void ThreadHeaps<Heap>::close() {
    regions_ = ThreadRegions();
    instances_ = nullptr;
    idle_ = nullptr;
    instances_count_ = 0;
}

template <class Heap>
typename ThreadHeaps<Heap>::Instance* ThreadHeaps<Heap>::join() {
    const structures::Locked locked(lock_);
    Instance* self = idle_;
    if (self != nullptr) {
        idle_ = self->next_idle;
        set_state(*self, State::owned);
        return self;
    }
    const ThreadMisuseHook hook = {this, [](void* heaps, ThreadMisuse what, const void* object, bool late) {
                                       static_cast<ThreadHeaps*>(heaps)->misused(what, object, late);
                                   }};
    if (instances_count_ == most_instances || !instances_[instances_count_ + 1].open(hook)) {
        return nullptr;
    }
    const uint32_t number = instances_count_ + 1;
    self = &instances_[number];
    self->number = number;
    __atomic_store_n(&instances_count_, number, __ATOMIC_RELAXED);
    set_state(*self, State::owned);
    return self;
}

template <class Heap>
void ThreadHeaps<Heap>::leave(Instance& self) {
    const structures::Locked locked(lock_);
    // Whoever frees an object after this sees it; what came before is taken here.
    set_state(self, State::idle);
    self.take_deferred();
    remove_empty(self);
    self.spare = nullptr;
    self.next_idle = idle_;
    idle_ = &self;
}

template <class Heap>
void* ThreadHeaps<Heap>::allocate_slow(Instance& self, const Request& request) {
    if (self.has_deferred()) {
        self.take_deferred();
        if (void* object = self.Heap::allocate(request)) {
            return object;
        }
    }
    return grow(self) ? self.Heap::allocate(request) : nullptr;
}

// By as much as it has: so there are few regions, however large the heap.
template <class Heap>
bool ThreadHeaps<Heap>::grow(Instance& self) {
    size_t bytes = 0;
    for (const Region* region = self.first_region(); region != nullptr; region = Heap::next_region(*region)) {
        bytes += Heap::room_of(*region);
    }
    bytes = bytes < most_region_bytes ? bytes : most_region_bytes;
    constexpr size_t least = ThreadRegions::unit_bytes;
    const structures::Locked locked(lock_);
    const ThreadRegions::Taken taken = regions_.take(bytes > least ? bytes : least, self.number);
    return taken.start != nullptr && self.add_region(taken.start, taken.bytes);
}

template <class Heap>
void ThreadHeaps<Heap>::release_others(Instance& self, void* object) {
    const ThreadRegions::Place place = regions_.place_of(object);
    if (place.owner == 0) {
        misused(ThreadMisuse::foreign, object, false);
    }
    Instance& owner = instances_[place.owner];
    instances_[self.number].for_others.add(place.owner != self.number);
    const WithinInstance busy(self.is_busy);
    if (state_of(owner) == State::frozen) {
        return;
    }
    owner.judge(*static_cast<Region*>(place.region), object);
    owner.release_later(object);
    if (state_of(owner) == State::idle) {
        clear_idle(owner);
    }
}

// Of a handler that interrupted who has the lock the object is left to whoever comes next. Another thread may
// have taken it meanwhile.
template <class Heap>
void ThreadHeaps<Heap>::clear_idle(Instance& owner) {
    if (lock_.is_mine()) {
        return;
    }
    const structures::Locked locked(lock_);
    if (state_of(owner) == State::idle) {
        owner.take_deferred();
        remove_empty(owner);
    }
}

// One stays, for a thread that frees all that it has and begins anew.
template <class Heap>
void ThreadHeaps<Heap>::look_after_empty(Instance& owner, Region& region) {
    if (owner.spare == nullptr || owner.spare == &region || !Heap::is_empty(*owner.spare)) {
        owner.spare = &region;
        return;
    }
    const structures::Locked locked(lock_);
    remove(owner, region);
}

template <class Heap>
void ThreadHeaps<Heap>::remove(Instance& owner, Region& region) {
    void* const start = regions_.region_of(&region);
    owner.remove_region(region);
    regions_.discard(start);
    regions_.give_back(start);
}

template <class Heap>
void ThreadHeaps<Heap>::remove_empty(Instance& owner) {
    owner.settle();
    for (Region* region = owner.first_region(); region != nullptr;) {
        Region* const next = Heap::next_region(*region);
        if (Heap::is_empty(*region)) {
            remove(owner, *region);
        }
        region = next;
    }
}

template <class Heap>
bool ThreadHeaps<Heap>::resize(Instance& self, void* object, const Request& request) {
    const ThreadRegions::Place place = regions_.place_of(object);
    if (place.owner == 0) {
        return false;
    }
    Region& region = *static_cast<Region*>(place.region);
    if (place.owner == self.number && !self.is_busy && request.bytes <= largest_bytes) {
        const WithinInstance busy(self.is_busy);
        return self.Heap::resize(region, object, request.bytes);
    }
    const Instance& owner = instances_[place.owner];
    if (state_of(owner) != State::frozen) {
        owner.judge(region, object);
    }
    return fits_room(request.bytes, Heap::usable_size(region, object));
}

template <class Heap>
size_t ThreadHeaps<Heap>::usable_size(const void* object) const {
    return regions_.owner_of(object) != 0 ? Heap::usable_size(region_of(object), object) : 0;
}

template <class Heap>
void ThreadHeaps<Heap>::misused(ThreadMisuse what, const void* object, bool was_deferred) const {
    if (owns(object) && regions_.owner_of(object) != 0) {
        what = Heap::looked_into(region_of(object), object, what);
    }
    if (on_misuse_ != nullptr) {
        on_misuse_(what, object, was_deferred);
    }
    platform::abort_with(what == ThreadMisuse::freed_before
                             ? "malloom: free of an object that was freed before"
                             : "malloom: free of an address where no object begins");
}

// What others had on its way to an owner may be there in part only, so it is left out.
template <class Heap>
void ThreadHeaps<Heap>::after_fork_in_child(const Instance* self) {
    const uint32_t own = self != nullptr ? self->number : 0;
    bool had_others = false;
    for (uint32_t number = 1; number <= instances_count_; ++number) {
        had_others |= number != own && state_of(instances_[number]) == State::owned;
    }
    for (uint32_t number = 1; had_others && number <= instances_count_; ++number) {
        Instance& instance = instances_[number];
        instance.forget_deferred();
        if (number != own && state_of(instance) == State::owned) {
            set_state(instance, State::frozen);
        }
    }
}

template <class Heap>
ThreadHeapsCounts ThreadHeaps<Heap>::counts() const {
    const uint32_t instances = __atomic_load_n(&instances_count_, __ATOMIC_RELAXED);
    uint64_t freed_by_others = 0;
    for (uint32_t number = 0; number <= instances; ++number) {
        freed_by_others += instances_[number].for_others.now();
    }
    return {instances, regions_.regions(), regions_.most_taken_bytes(), freed_by_others};
}

}  // namespace malloom::heaps
