#include <nanobind/stl/string.h>

#include <stdexcept>
#include <string>

#include "src/native/bindings.h"
#include "src/native/bins/bin_layout.h"
#include "src/native/bins/replay.h"
#include "src/native/numpy_arrays.h"

namespace nb = nanobind;

namespace malloom::native {

namespace {

OwnedArray<uint32_t> laid_out(const ArrayView<uint32_t>& begins, const ArrayView<uint32_t>& counts,
                              uint32_t end, uint32_t granule, unsigned wanted) {
    if (begins.shape(0) != counts.shape(0) || begins.shape(0) == 0 || wanted == 0) {
        throw std::invalid_argument("a count for each bin");
    }
    return to_numpy(lay_out_bins({to_span(begins), to_span(counts), end, granule}, wanted));
}

nb::bytes code_of(const ArrayView<uint32_t>& begins, const ArrayView<uint32_t>& weights,
                  const std::string& target) {
    if (begins.shape(0) != weights.shape(0)) {
        throw std::invalid_argument("a weight for each bin");
    }
    const std::vector<uint8_t> code = bin_code(to_span(begins), to_span(weights), target);
    return nb::bytes(code.data(), code.size());
}

/// (most bytes held, steps, failures, whether the heap was whole in the end, insertions for each bin)
nb::tuple replayed(const ArrayView<uint64_t>& sizes, const ArrayView<uint32_t>& alignments,
                   const ArrayView<int64_t>& events, const ArrayView<uint32_t>& begins, uint64_t region_bytes,
                   uint32_t alignment, bool bounded) {
    if (sizes.shape(0) != alignments.shape(0)) {
        throw std::invalid_argument("an alignment for each size");
    }
    const RecordedRequests recorded = {to_span(sizes), to_span(alignments), to_span(events)};
    const ReplayHeap wanted = {to_span(begins), region_bytes, alignment, bounded};
    ReplayedBins found = unlocked([&] { return replay_bins(recorded, wanted); });
    return nb::make_tuple(found.most_held, found.steps, found.failures, found.is_whole,
                          to_numpy(std::move(found.insertions)));
}

}  // namespace

void bind_bins(nb::module_& module) {
    module.def("lay_out_bins", &laid_out, nb::arg("begins"), nb::arg("counts"), nb::arg("end"),
               nb::arg("granule"), nb::arg("wanted"));
    module.def("replay_bins", &replayed, nb::arg("sizes"), nb::arg("alignments"), nb::arg("events"),
               nb::arg("begins"), nb::arg("region_bytes"), nb::arg("alignment"), nb::arg("bounded"));
    module.def("bin_code", &code_of, nb::arg("begins"), nb::arg("weights"), nb::arg("target"));
}

}  // namespace malloom::native
