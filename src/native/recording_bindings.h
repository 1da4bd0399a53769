// What profile_bindings.cpp is made of.
#pragma once

#include <nanobind/nanobind.h>

namespace malloom::native {

void bind_recording(nanobind::module_& module);

}  // namespace malloom::native
