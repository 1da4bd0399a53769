#include <nanobind/stl/tuple.h>
#include <nanobind/stl/unique_ptr.h>

#include <algorithm>
#include <array>
#include <memory>
#include <stdexcept>

#include "src/native/accesses/addresses.h"
#include "src/native/accesses/kept.h"
#include "src/native/accesses/source.h"
#include "src/native/accesses/watched.h"
#include "src/native/accesses/windows.h"
#include "src/native/bindings.h"
#include "src/native/numpy_arrays.h"

namespace nb = nanobind;

namespace malloom::native {

namespace {

/// Accesses that lie in arrays of the same length: of profiles that are made, not recorded.
class ArrayAccesses : public AccessSource {
  public:
    ArrayAccesses(ArrayView<uint32_t> requests, ArrayView<uint64_t> packed)
        : requests_(std::move(requests)), packed_(std::move(packed)) {}

    std::span<const ResolvedAccess> next_batch() override {
        const auto requests = to_span(requests_).subspan(next_);
        const auto packed = to_span(packed_).subspan(next_);
        const size_t count = std::min(batch_accesses, requests.size());
        for (size_t i = 0; i < count; ++i) batch_[i] = {requests[i], 1, packed[i]};
        next_ += count;
        return {batch_.data(), count};
    }

  private:
    static constexpr size_t batch_accesses = 4096;

    ArrayView<uint32_t> requests_;
    ArrayView<uint64_t> packed_;
    size_t next_ = 0;
    std::array<ResolvedAccess, batch_accesses> batch_;
};

std::unique_ptr<AccessSource> array_accesses(ArrayView<uint32_t> requests, ArrayView<uint64_t> packed,
                                             uint64_t skip, uint64_t take) {
    if (requests.shape(0) != packed.shape(0)) throw std::invalid_argument("arrays of different lengths");
    const uint64_t expected = expected_in_windows(requests.shape(0), skip, take);
    auto all = std::make_unique<ArrayAccesses>(std::move(requests), std::move(packed));
    return watched(windowed(std::move(all), skip, take), expected);
}

std::unique_ptr<AccessSource> open_kept(const KeptAccesses& kept, uint64_t skip, uint64_t take) {
    return watched(kept.open(skip, take), kept.expected(skip, take));
}

/// (accesses done, accesses expected) of the stream that is being read.
nb::tuple read_so_far() {
    return nb::make_tuple(reading.done.load(std::memory_order_relaxed),
                          reading.expected.load(std::memory_order_relaxed));
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

void bind_accesses(nb::module_& module) {
    nb::class_<AccessSource>(module, "AccessSource").def("next_batch", &next_batch);
    const nb::class_<AddressSource> addresses(module, "AddressSource");
    nb::class_<KeptAccesses>(module, "KeptAccesses")
        .def("serves", &KeptAccesses::serves, nb::arg("skip"), nb::arg("take"))
        .def("open", &open_kept, nb::arg("skip"), nb::arg("take"));
    module.def("array_accesses", &array_accesses, nb::arg("request"), nb::arg("packed"), nb::arg("skip") = 0,
               nb::arg("take") = 0);
    module.def("read_so_far", &read_so_far);
}

}  // namespace malloom::native
