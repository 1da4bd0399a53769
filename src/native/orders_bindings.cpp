#include "src/native/bindings.h"

namespace malloom::native {

void bind_orders(nanobind::module_&) {}

}  // namespace malloom::native
