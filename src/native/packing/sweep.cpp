#include "src/native/packing/sweep.h"

#include "checks/check.h"

namespace malloom::native {

void Sweep::settle(const Piece& piece) {
    const uint64_t start = space_.take(piece.room, piece.alignment);
    uint64_t end = 0;
    for (const auto& [request, offset] : piece.places) {
        if (offset > end) {
            space_.give(start + end, offset - end);  // left out for alignment
        }
        starts_[request] = static_cast<uint32_t>(start + offset);
        end = uint64_t{offset} + needs_.room[request];
    }
}

uint64_t Sweep::highest() const {
    MALLOOM_CHECK_FULL(space_.is_valid());
    return space_.highest();
}

void Sweep::begin(uint32_t request) {
    starts_[request] = static_cast<uint32_t>(space_.take(needs_.room[request], needs_.alignment[request]));
}

void Sweep::end(uint32_t request) {
    space_.give(starts_[request], needs_.room[request]);
}

void Sweep::replace(uint32_t before, uint32_t after) {
    if (!take_over(before, after)) {
        begin(after);
        end(before);
    }
}

bool Sweep::take_over(uint32_t before, uint32_t after) {
    const uint64_t start = starts_[before];
    const uint64_t had = needs_.room[before];
    const uint64_t wanted = needs_.room[after];
    if (2 * wanted < had || start % needs_.alignment[after] != 0 ||
        (wanted > had && !space_.take_at(start + had, wanted - had))) {
        return false;
    }
    if (wanted < had) {
        space_.give(start + wanted, had - wanted);
    }
    starts_[after] = static_cast<uint32_t>(start);
    return true;
}

}  // namespace malloom::native
