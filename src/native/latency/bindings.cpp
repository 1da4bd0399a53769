#include "src/native/bindings.h"
#include "src/native/latency/memory_latency.h"

namespace nb = nanobind;

namespace malloom::native {

void bind_latency(nb::module_& module) {
    using Unlocked = nb::call_guard<nb::gil_scoped_release>;
    module.def("cycle_nanoseconds", &cycle_nanoseconds, Unlocked());
    module.def("page_walk_nanoseconds", &page_walk_nanoseconds, Unlocked());
    nb::class_<MemoryLatency>(module, "MemoryLatency")
        .def(nb::init<uint64_t>(), nb::arg("bytes"))
        .def("random_access", &MemoryLatency::random_access, nb::arg("working_set"), nb::arg("nearer"),
             Unlocked())
        .def("sequential_access", &MemoryLatency::sequential_access, nb::arg("working_set"),
             nb::arg("nearer"), Unlocked());
}

}  // namespace malloom::native
