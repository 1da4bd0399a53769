// The profile's structs and enumerations, derived from formats/profile.def.
#pragma once

#include "formats/types.h"

namespace malloom::formats::profile {

#include "formats/define_fields.h"
// The .def is data: it must come after the macros.
#include "formats/profile.def"
#include "formats/undefine_fields.h"

constexpr u64 file_magic = magic_of("MALLPROF");
constexpr u32 chunk_magic = static_cast<u32>(magic_of("LOOM"));
constexpr u64 staging_magic = magic_of("MALLSTAG");
constexpr u64 process_staging_magic = magic_of("MALLPROC");
constexpr u64 window_magic = magic_of("MALLWIND");
constexpr u32 version_current = version_first;
constexpr u32 no_module = 0xffffffffu;

/// Builds and takes apart one entry of an accesses buffer (see AccessKind).
constexpr u64 access_address_mask = (u64{1} << 48) - 1;
constexpr unsigned access_size_shift = 48;
constexpr u64 access_store_bit = u64{1} << 52;
constexpr unsigned access_kind_shift = 56;
constexpr u64 access_ticket_mask = (u64{1} << 56) - 1;

}  // namespace malloom::formats::profile
