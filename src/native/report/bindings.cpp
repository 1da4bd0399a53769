#include <cxxabi.h>
#include <nanobind/stl/string.h>

#include <cstdlib>
#include <stdexcept>
#include <string>

#include "src/native/bindings.h"
#include "src/native/numpy_arrays.h"
#include "src/native/report/lifetimes.h"

namespace nb = nanobind;

namespace malloom::native {

namespace {

/// (live peak per context and of all, median lifetime per context)
nb::tuple lifetimes(const ArrayView<uint64_t>& size, const ArrayView<uint64_t>& birth,
                    const ArrayView<uint64_t>& death, const ArrayView<uint32_t>& context, size_t contexts) {
    const Lives lives{to_span(size), to_span(birth), to_span(death), to_span(context)};
    const size_t requests = lives.size.size();
    if (lives.birth.size() != requests || lives.death.size() != requests ||
        lives.context.size() != requests) {
        throw std::invalid_argument("columns of different lengths");
    }
    for (const uint32_t index : lives.context) {
        if (index >= contexts) throw std::invalid_argument("a request of an unknown context");
    }
    return nb::make_tuple(to_numpy(live_peaks(lives, contexts)), to_numpy(median_lifetimes(lives, contexts)));
}

/// A C++ symbol as its source has it; any other name unchanged.
std::string demangle(const std::string& name) {
    int status = 0;
    char* readable = abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status);
    const std::string result = status == 0 && readable != nullptr ? readable : name;
    std::free(readable);
    return result;
}

}  // namespace

void bind_report(nb::module_& module) {
    module.def("lifetimes", &lifetimes, nb::arg("size"), nb::arg("birth"), nb::arg("death"),
               nb::arg("context"), nb::arg("contexts"));
    module.def("demangle", &demangle, nb::arg("name"));
}

}  // namespace malloom::native
