// The unit in hardware that has windows of pages (hardware/rtl/window_unit.v), as software asks it.
#pragma once

#include <stdint.h>

#include "runtime/structures/freestanding/custom_instructions.h"

namespace malloom::heaps::pages {

/// What the unit is asked for, and its answers where they are no address. One to a take, a fill or a peek has
/// `refused` where no chunk is free.
enum class WindowRequest : uint8_t { take, give, fill, peek, drain };
enum class GiveAnswer : uint32_t { given, elsewhere, no_begin, freed_twice };
constexpr uint32_t no_such_window = 4;
constexpr uint32_t still_has_chunks = 5;  ///< the window that a fill would replace
constexpr uint32_t refused = 0x80000000;

#if defined(__riscv)
using WindowInstructions = structures::CustomInstructions<2>;
#endif

/// All that a unit with one window a class knows, for as long as others use it: as UnitState of
/// unit_search.h, all zero it is a unit's that nobody has used. A window without a free chunk is forgotten,
/// as its chunks may come back to memory.
template <class Unit, class Geometry>
class WindowsState {
  public:
    /// The unit has no window after this.
    void save() {
#pragma GCC unroll 16
        for (uint32_t number = 0; number < Geometry::classes; ++number) {
            lowest_[number] = Unit::template ask<WindowRequest::peek>(number);
            masks_[number] = Unit::template ask<WindowRequest::drain>(number);
        }
    }
    /// The unit must have none before. A window's low bits of an address say nothing to it.
    void restore() const {
#pragma GCC unroll 16
        for (uint32_t number = 0; number < Geometry::classes; ++number) {
            if (masks_[number] != 0) {
                Unit::template ask<WindowRequest::give>(
                    Unit::template ask<WindowRequest::fill>(lowest_[number] | number, masks_[number]));
            }
        }
    }

  private:
    uint32_t lowest_[Geometry::classes];
    uint32_t masks_[Geometry::classes];
};

}  // namespace malloom::heaps::pages
