#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>

#include <stdexcept>
#include <string>

#include "record/stream/checksum.h"
#include "src/native/bindings.h"
#include "src/native/numpy_arrays.h"
#include "src/native/packing_order.h"
#include "src/native/packing_slots.h"
#include "src/native/plan_check.h"

namespace nb = nanobind;

namespace malloom::native {

namespace {

Slots make_slots(const ArrayView<uint64_t>& birth, const ArrayView<uint64_t>& death,
                 const ArrayView<uint64_t>& size, const ArrayView<uint32_t>& alignment,
                 const ArrayView<uint32_t>& context, const ArrayView<uint64_t>& accesses,
                 uint64_t maximum_bytes) {
    return form_slots({to_span(birth), to_span(death), to_span(size), to_span(alignment), to_span(context),
                       to_span(accesses)},
                      maximum_bytes);
}

LineRule line_rule(const std::string& name) {
    if (name == "packed") {
        return LineRule::packed;
    }
    if (name == "unbroken") {
        return LineRule::unbroken;
    }
    if (name == "separate") {
        return LineRule::separate;
    }
    throw std::invalid_argument("lines are packed, unbroken or separate");
}

nb::tuple place(const Slots& slots, const ArrayView<uint32_t>& order, const std::string& lines,
                uint64_t line_bytes) {
    Placement placement = place_in_order(slots, to_span(order), {line_rule(lines), line_bytes});
    return nb::make_tuple(to_numpy(std::move(placement.offset)), placement.arena_bytes);
}

uint64_t checksum_of(const ArrayView<uint8_t>& bytes) {
    return stream::checksum(bytes.data(), bytes.shape(0));
}

}  // namespace

void bind_packing(nb::module_& module) {
    nb::class_<Slots>(module, "Slots")
        .def("__len__", [](const Slots& slots) { return slots.granules.size(); })
        .def_prop_ro("of_request", [](const Slots& slots) { return to_numpy(std::vector(slots.of_request)); })
        .def_prop_ro("granules", [](const Slots& slots) { return to_numpy(std::vector(slots.granules)); });
    module.def("form_slots", &make_slots, nb::arg("birth"), nb::arg("death"), nb::arg("size"),
               nb::arg("alignment"), nb::arg("context"), nb::arg("accesses"), nb::arg("maximum_bytes"));
    module.def("place_in_order", &place, nb::arg("slots"), nb::arg("order"), nb::arg("lines"),
               nb::arg("line_bytes"));
    module.def("plan_problem", &plan_problem, nb::arg("path"));
    module.def("checksum", &checksum_of, nb::arg("bytes"));
}

}  // namespace malloom::native
