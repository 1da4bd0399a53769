// What an empty way of a simulated cache holds.
#pragma once

#include <stdint.h>

namespace malloom::native {

/// No line has this number: simulated addresses lie below 2^37.
constexpr uint32_t empty_way = UINT32_MAX;

}  // namespace malloom::native
