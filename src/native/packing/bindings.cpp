#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>

#include <stdexcept>
#include <string>

#include "src/native/bindings.h"
#include "src/native/numpy_arrays.h"
#include "src/native/packing/placement.h"
#include "src/native/packing/timeline.h"

namespace nb = nanobind;

namespace malloom::native {

namespace {

Timeline make_timeline(const ArrayView<uint64_t>& birth, const ArrayView<uint64_t>& death,
                       const ArrayView<uint64_t>& size, const ArrayView<uint32_t>& alignment,
                       const ArrayView<uint64_t>& accesses, uint64_t maximum_bytes, unsigned generations) {
    return unlocked([&] {
        return form_timeline(
            {to_span(birth), to_span(death), to_span(size), to_span(alignment), to_span(accesses)},
            maximum_bytes, generations);
    });
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

nb::tuple place(const Timeline& timeline, const ArrayView<uint32_t>& order, const std::string& lines,
                uint64_t line_bytes) {
    const PackingRule rule{line_rule(lines), line_bytes};
    Placement placement = unlocked([&] { return place_in_order(timeline, to_span(order), rule); });
    return nb::make_tuple(to_numpy(std::move(placement.offset)), placement.arena_bytes);
}

}  // namespace

void bind_packing(nb::module_& module) {
    nb::class_<Timeline>(module, "Timeline")
        .def_prop_ro("generations", [](const Timeline& timeline) { return timeline.generations; })
        .def("generation_of_requests",
             [](const Timeline& timeline) { return to_numpy(std::vector(timeline.generation)); });
    module.def("form_timeline", &make_timeline, nb::arg("birth"), nb::arg("death"), nb::arg("size"),
               nb::arg("alignment"), nb::arg("accesses"), nb::arg("maximum_bytes"), nb::arg("generations"));
    module.def("place_in_order", &place, nb::arg("timeline"), nb::arg("order"), nb::arg("lines"),
               nb::arg("line_bytes"));
}

}  // namespace malloom::native
