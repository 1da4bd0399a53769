#include "src/native/bindings.h"

namespace malloom::native {

void bind_simulation(nanobind::module_&) {}

}  // namespace malloom::native
