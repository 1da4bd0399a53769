// The plan's structs and enumerations, derived from formats/plan.def.
#pragma once

#include "formats/types.h"

namespace malloom::formats::plan {

#include "formats/define_fields.h"
// The .def is data: it must come after the macros.
#include "formats/plan.def"
#include "formats/undefine_fields.h"

constexpr u64 file_magic = magic_of("MALLPLAN");
constexpr u32 version_current = version_bobbin;
constexpr u32 no_slot = 0xffffffffu;
constexpr u32 no_group = 0xffffffffu;
constexpr u32 no_pool = 0;
constexpr u32 deeper_pools = 0xffffffffu;
constexpr u32 no_near = 0;
constexpr u32 most_siblings = 0xfff;
constexpr u32 near_of(u32 place, u32 offset, u32 siblings) {
    return ((siblings < most_siblings ? siblings : most_siblings) << 20) | (offset << 8) | (place + 1);
}
constexpr u32 place_of_near(u32 near) {
    return (near & 0xff) - 1;
}
constexpr u32 offset_of_near(u32 near) {
    return (near >> 8) & 0xfff;
}
constexpr u32 siblings_of_near(u32 near) {
    return near >> 20;
}
constexpr u32 no_register = 16;
constexpr u64 granule_bytes = 16;
constexpr u64 maximum_arena_bytes = u64{64} << 30;

}  // namespace malloom::formats::plan
