#include <nanobind/stl/tuple.h>
#include <nanobind/stl/unique_ptr.h>

#include <memory>
#include <stdexcept>

#include "src/native/access_source.h"
#include "src/native/array_accesses.h"
#include "src/native/bindings.h"
#include "src/native/context_affinity.h"
#include "src/native/numpy_arrays.h"
#include "src/native/recording_bindings.h"
#include "src/native/windowed_accesses.h"

namespace nb = nanobind;

namespace malloom::native {

namespace {

/// ArrayAccesses that keeps the arrays alive.
class KeptArrayAccesses : public AccessSource {
  public:
    KeptArrayAccesses(ArrayView<uint32_t> requests, ArrayView<uint64_t> packed)
        : requests_(std::move(requests)),
          packed_(std::move(packed)),
          accesses_(to_span(requests_), to_span(packed_)) {}

    std::span<const ResolvedAccess> next_batch() override { return accesses_.next_batch(); }

  private:
    ArrayView<uint32_t> requests_;
    ArrayView<uint64_t> packed_;
    ArrayAccesses accesses_;
};

std::unique_ptr<AccessSource> windowed(std::unique_ptr<AccessSource> source, uint64_t skip, uint64_t take) {
    if (take == 0) return source;
    return std::make_unique<WindowedAccesses>(std::move(source), skip, take);
}

std::unique_ptr<AccessSource> array_accesses(ArrayView<uint32_t> requests, ArrayView<uint64_t> packed,
                                             uint64_t skip, uint64_t take) {
    if (requests.shape(0) != packed.shape(0)) throw std::invalid_argument("arrays of different lengths");
    return windowed(std::make_unique<KeptArrayAccesses>(std::move(requests), std::move(packed)), skip, take);
}

/// (the graph's columns; uses per context)
nb::tuple context_affinity(AccessSource& source, ArrayView<uint32_t> context, size_t contexts,
                           uint64_t distance) {
    for (const uint32_t index : to_span(context)) {
        if (index >= contexts) throw std::invalid_argument("a request of an unknown context");
    }
    CompressedGraph graph;
    std::vector<uint64_t> uses;
    {
        nb::gil_scoped_release unlocked;
        ContextAffinity affinity(to_span(context), contexts, distance);
        for (auto batch = source.next_batch(); !batch.empty(); batch = source.next_batch()) {
            for (const ResolvedAccess& access : batch) affinity.add(access);
        }
        graph = affinity.compress();
        uses = affinity.take_uses();
    }
    auto columns = nb::make_tuple(to_numpy(std::move(graph.offsets)), to_numpy(std::move(graph.targets)),
                                  to_numpy(std::move(graph.weights)));
    return nb::make_tuple(std::move(columns), to_numpy(std::move(uses)));
}

/// The next accesses as columns (request, weight, packed); empty at the end.
nb::tuple next_batch(AccessSource& source) {
    std::vector<uint32_t> requests, weights;
    std::vector<uint64_t> packed;
    for (const ResolvedAccess& access : source.next_batch()) {
        requests.push_back(access.request);
        weights.push_back(access.weight);
        packed.push_back(access.packed);
    }
    return nb::make_tuple(to_numpy(std::move(requests)), to_numpy(std::move(weights)),
                          to_numpy(std::move(packed)));
}

}  // namespace

void bind_profile(nb::module_& module) {
    nb::class_<AccessSource>(module, "AccessSource").def("next_batch", &next_batch);
    bind_recording(module);
    module.def("array_accesses", &array_accesses, nb::arg("request"), nb::arg("packed"), nb::arg("skip") = 0,
               nb::arg("take") = 0);
    module.def("context_affinity", &context_affinity, nb::arg("source"), nb::arg("context"),
               nb::arg("contexts"), nb::arg("distance"));
}

}  // namespace malloom::native
