// The requests of a recorded run, as a file gives them to the co-simulation: a signed word of 64 bits each,
// little endian. One that is not negative is a request for so many bytes; of a negative one the complement is
// the number of the request whose object is freed. Requests are numbered from 0 in their order.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace malloom::hardware {

using Operations = std::vector<int64_t>;

/// Nothing where the file cannot be read, or frees what was not asked for before or is free already.
std::optional<Operations> read_operations(const std::string& path);

}  // namespace malloom::hardware
