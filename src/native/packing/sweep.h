// Addresses for what lives on one side of a moment.
#pragma once

#include <stdint.h>

#include <utility>
#include <vector>

#include "src/native/packing/free_space.h"

namespace malloom::native {

/// A generation as one piece: its requests and where they begin in it, in granules.
struct Piece {
    std::vector<std::pair<uint32_t, uint32_t>> places;
    uint64_t room = 0;
    uint64_t alignment = 4;  ///< granules: at least a line
};

/// What each request takes, in granules.
struct Needs {
    std::vector<uint32_t> room;
    std::vector<uint32_t> alignment;
};

/// Follows births and deaths in one direction. Whatever `starts` has at the beginning is alive.
class Sweep {
  public:
    static constexpr uint32_t no_place = UINT32_MAX;

    Sweep(const Needs& needs, std::vector<uint32_t>& starts) : needs_(needs), starts_(starts) {}

    /// Finds room for a whole piece.
    void settle(const Piece& piece);
    void begin(uint32_t request);
    void end(uint32_t request);

    /// The end of `before` and right after it the beginning of `after`.
    void replace(uint32_t before, uint32_t after);

    /// The highest end of any of them, in granules. When all is placed.
    uint64_t highest() const;

  private:
    bool take_over(uint32_t before, uint32_t after);

    const Needs& needs_;
    std::vector<uint32_t>& starts_;  ///< granules
    FreeSpace space_;
};

}  // namespace malloom::native
