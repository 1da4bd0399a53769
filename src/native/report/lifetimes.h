// How long the objects of each context live, and how much of each lives at once.
#pragma once

#include <stdint.h>

#include <span>
#include <vector>

namespace malloom::native {

/// Columns of the requests (src/malloom/profile/requests.py), all of one length; births grow.
struct Lives {
    std::span<const uint64_t> size, birth, death;
    std::span<const uint32_t> context;
};

/// Most bytes that live at once, per context and, as the last element, of all contexts together.
std::vector<uint64_t> live_peaks(const Lives& lives, size_t contexts);

/// Median lifetime per context in tickets, over the objects that were released; never where none was.
std::vector<uint64_t> median_lifetimes(const Lives& lives, size_t contexts);

}  // namespace malloom::native
