#include <nanobind/stl/string.h>

#include <string>

#include "record/stream/checksum.h"
#include "src/native/bindings.h"
#include "src/native/numpy_arrays.h"
#include "src/native/plan/check.h"

namespace nb = nanobind;

namespace malloom::native {

namespace {

/// (what is wrong with it, the bytes of each plan's header)
nb::tuple checked(const std::string& path) {
    const CheckedPlan plan = check_plan(path);
    return nb::make_tuple(plan.problem, nb::bytes(plan.headers.data(), plan.headers.size()));
}

uint64_t checksum_of(const ArrayView<uint8_t>& bytes) {
    return stream::checksum(bytes.data(), bytes.shape(0));
}

}  // namespace

void bind_plan(nb::module_& module) {
    module.def("check_plan", &checked, nb::arg("path"));
    module.def("checksum", &checksum_of, nb::arg("bytes"));
}

}  // namespace malloom::native
