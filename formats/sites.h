// The structs of keys of call sites, derived from formats/sites.def.
#pragma once

#include "formats/types.h"

namespace malloom::formats::sites {

#include "formats/define_fields.h"
// The .def is data: it must come after the macros.
#include "formats/sites.def"
#include "formats/undefine_fields.h"

constexpr u64 magic = magic_of("MALLSITE");
constexpr u32 version_current = version_first;
constexpr u32 no_module = 0xffffffffu;

}  // namespace malloom::formats::sites
