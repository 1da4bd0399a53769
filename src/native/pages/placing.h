// Where the page heap puts a profile's requests.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace malloom::native {

/// What is where the heap had no memory.
constexpr int64_t no_place = -1;

/// The distance of each request's object from the begin of one memory of so many bytes. Of the events those
/// that are not negative are requests, by number, and the others frees: the number's complement. `alignments`
/// are 0 for malloc's. Throws std::bad_alloc where there are no such addresses, std::invalid_argument for an
/// event of no request, or a free of what has no place.
std::vector<int64_t> place_in_pages(std::span<const uint64_t> sizes, std::span<const uint32_t> alignments,
                                    std::span<const int64_t> events, uint64_t bytes);

}  // namespace malloom::native
