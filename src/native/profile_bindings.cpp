#include "src/native/bindings.h"

namespace malloom::native {

void bind_profile(nanobind::module_&) {}

}  // namespace malloom::native
