// The plan's structs and enumerations, derived from formats/plan.def.
#pragma once

#include "formats/types.h"

namespace malloom::formats::plan {

#include "formats/define_fields.h"
// The .def is data: it must come after the macros.
#include "formats/plan.def"
#include "formats/undefine_fields.h"

constexpr u64 file_magic = magic_of("MALLPLAN");
constexpr u32 version_current = version_companions;
constexpr u32 no_slot = 0xffffffffu;
constexpr u32 no_group = 0xffffffffu;
constexpr u32 no_pool = 0;
constexpr u32 deeper_pools = 0xffffffffu;
constexpr u8 no_companion = 0;
constexpr u32 no_register = 16;
constexpr u64 granule_bytes = 16;
constexpr u64 maximum_arena_bytes = u64{64} << 30;

}  // namespace malloom::formats::plan
