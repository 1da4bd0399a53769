// The structs of tables of fields, derived from formats/fields.def.
#pragma once

#include "formats/types.h"

namespace malloom::formats::fields {

#include "formats/define_fields.h"
// The .def is data: it must come after the macros.
#include "formats/fields.def"
#include "formats/undefine_fields.h"

constexpr u64 file_magic = magic_of("MALLFLDS");
constexpr u32 version_current = version_first;
constexpr u64 other_sizes = ~u64{0};

}  // namespace malloom::formats::fields
