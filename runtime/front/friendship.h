// Whether a site's objects go beside their friends, and where the friend is to be found.
#pragma once

#include <stdint.h>

#include "runtime/context/friend_monitor.h"

namespace malloom::front {

/// Of one site. Its objects have one size; those without a friend come from a family of the pool heap. All
/// zero is one that has not begun. Any thread; beginning and ending by whoever decides about the site.
class Friendship {
  public:
    /// Looks for the friend of objects of these bytes in the next requests. False where they are too large,
    /// or without memory.
    bool look(uint32_t bytes, uint32_t family);
    /// The friend is in this place of CallerState, and points to the last sibling at this offset, as an
    /// earlier run learned. False where the objects are too large, or these make no sense.
    bool begin(uint32_t bytes, uint32_t family, uint32_t place, uint32_t offset);

    /// An object of the bytes. Null without memory; the pool heap may refuse too.
    void* allocate(const context::CallerState& caller);

    uint32_t bytes() const { return bytes_; }
    uint32_t family() const { return family_; }
    /// The place, or FriendMonitor::nowhere as long as none is known.
    uint32_t place() const { return __atomic_load_n(&place_, __ATOMIC_RELAXED); }
    uint32_t offset() const { return offset_; }
    /// That there is no friend: a plain pool is as good.
    bool is_over() const { return __atomic_load_n(&is_over_, __ATOMIC_RELAXED); }
    /// The place is known.
    bool is_found() const { return bytes_ != 0 && place() != context::FriendMonitor::nowhere; }
    bool was_tried() const { return bytes_ != 0; }

  private:
    bool open(uint32_t bytes, uint32_t family);
    void* allocate_watched(const context::CallerState& caller, void* object);
    void finish(context::FriendMonitor* monitor);
    void* without_friend();
    void end() { __atomic_store_n(&is_over_, true, __ATOMIC_RELEASE); }

    context::FriendMonitor* monitor_;  ///< while looking
    uint32_t bytes_;
    uint32_t family_;
    uint32_t number_;  ///< NearHeap's
    uint32_t place_;
    uint32_t offset_;
    uint32_t refused_in_a_row_;
    bool is_locked_;  ///< a thread is using the monitor
    bool is_over_;
};

}  // namespace malloom::front
