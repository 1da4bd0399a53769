#include <stdexcept>

#include "src/native/bindings.h"
#include "src/native/numpy_arrays.h"
#include "src/native/pages/placing.h"

namespace nb = nanobind;

namespace malloom::native {

namespace {

OwnedArray<int64_t> placed(const ArrayView<uint64_t>& sizes, const ArrayView<uint32_t>& alignments,
                           const ArrayView<int64_t>& events, uint64_t bytes) {
    if (sizes.shape(0) != alignments.shape(0)) {
        throw std::invalid_argument("an alignment for each size");
    }
    return to_numpy(unlocked(
        [&] { return place_in_pages(to_span(sizes), to_span(alignments), to_span(events), bytes); }));
}

}  // namespace

void bind_pages(nb::module_& module) {
    module.def("place_in_pages", &placed, nb::arg("sizes"), nb::arg("alignments"), nb::arg("events"),
               nb::arg("bytes"));
}

}  // namespace malloom::native
