// Whether a site's objects go beside their companions, and where the companion is to be found.
#pragma once

#include <stdint.h>

#include "runtime/context/companion_monitor.h"
#include "runtime/front/process_heaps.h"

namespace malloom::front {

/// Of one site. Its objects have one size; those without a companion come from a client of the pool heap.
/// Any thread; beginning and ending by whoever decides about the site.
class Colocation {
  public:
    /// Looks for the companion of objects of these bytes in the next requests. False where they are too
    /// large, or without memory.
    bool look(uint32_t bytes, uint32_t client);
    /// The companion is in this place of CallerState, and points to the last sibling at this offset, as an
    /// earlier run learned; of companions with so many objects, 0 where that is not known. False where the
    /// objects are too large, or these make no sense.
    bool begin(uint32_t bytes, uint32_t client, uint32_t place, uint32_t offset, uint32_t siblings);

    /// An object of the bytes. Null without memory; the pool heap may refuse too.
    void* allocate(const context::CallerState& caller);

    /// Whether allocate_colocated may be asked: the companion is known, and these are the objects' bytes.
    [[gnu::always_inline]] bool has_fast_path(size_t bytes) const {
        return __atomic_load_n(&fast_bytes_, __ATOMIC_RELAXED) == bytes && bytes != 0;
    }
    /// That it may be, or no longer: something else than companions serves the site.
    void set_fast_path(bool is_wanted) {
        __atomic_store_n(&fast_bytes_, is_wanted && is_found() ? bytes_ : 0, __ATOMIC_RELEASE);
    }
    /// An object beside the companion; null where `allocate` has to see to it.
    [[gnu::always_inline]] void* allocate_colocated(uintptr_t companion) const {
        return process_heaps.colocation.allocate(process_heaps.pools.own_thread(), number_, companion,
                                                 offset_);
    }
    /// The same in two steps: the common case, and what is left where it gives null.
    [[gnu::always_inline]] void* allocate_waiting(uintptr_t companion) const {
        return process_heaps.colocation.allocate_waiting(*pool_thread, number_, companion, offset_);
    }
    void* begin_run(uintptr_t companion) const {
        return process_heaps.colocation.begin(process_heaps.pools.own_thread(), number_, companion, offset_);
    }

    uint32_t bytes() const { return bytes_; }
    uint32_t client() const { return client_; }
    /// The place, or CompanionMonitor::nowhere as long as none is known.
    uint32_t place() const { return __atomic_load_n(&place_, __ATOMIC_RELAXED); }
    uint32_t offset() const { return offset_; }
    /// How many objects a companion has in this run; of all objects that have these bytes and companions.
    uint32_t siblings() const { return process_heaps.colocation.siblings(number_); }
    /// That there is no companion: a plain pool is as good.
    bool is_over() const { return __atomic_load_n(&is_over_, __ATOMIC_RELAXED); }
    /// The place is known.
    bool is_found() const { return bytes_ != 0 && place() != context::CompanionMonitor::nowhere; }
    bool was_tried() const { return bytes_ != 0; }

  private:
    bool open(uint32_t bytes, uint32_t client);
    void* allocate_watched(const context::CallerState& caller, void* object);
    void finish(context::CompanionMonitor* monitor);
    void* without_companion();
    void end() {
        set_fast_path(false);
        __atomic_store_n(&is_over_, true, __ATOMIC_RELEASE);
    }

    size_t fast_bytes_ = 0;  ///< 0 for none
    uint32_t number_ = 0;    ///< ColocationHeap's
    uint32_t place_ = 0;
    uint32_t offset_ = 0;
    uint32_t bytes_ = 0;
    uint32_t client_ = 0;
    uint32_t refused_in_a_row_ = 0;
    bool is_locked_ = false;  ///< a thread is using the monitor
    bool is_over_ = false;
    context::CompanionMonitor* monitor_ = nullptr;  ///< while looking
};

}  // namespace malloom::front
