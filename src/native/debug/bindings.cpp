#include <nanobind/stl/map.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>

#include <map>
#include <string>

#include "src/native/bindings.h"
#include "src/native/debug/call_places.h"
#include "src/native/numpy_arrays.h"

namespace nb = nanobind;

namespace malloom::native {

namespace {

Bytes view(const std::map<std::string, nb::bytes>& sections, const char* name) {
    const auto found = sections.find(name);
    if (found == sections.end()) return {};
    return {static_cast<const unsigned char*>(found->second.data()), found->second.size()};
}

/// Columns: of each address how many calls it has; then of all calls line, column, line of the function and
/// offset of its entry.
nb::tuple call_places(const std::map<std::string, nb::bytes>& sections,
                      const ArrayView<uint64_t>& addresses) {
    const DebugSections debug{view(sections, ".debug_info"),     view(sections, ".debug_abbrev"),
                              view(sections, ".debug_line"),     view(sections, ".debug_addr"),
                              view(sections, ".debug_rnglists"), view(sections, ".debug_ranges")};
    const auto places = unlocked([&] { return find_call_places(debug, to_span(addresses)); });
    std::vector<uint32_t> counts, lines, columns, functions;
    std::vector<uint64_t> entries;
    for (const auto& calls : places) {
        counts.push_back(static_cast<uint32_t>(calls.size()));
        for (const CallPlace& call : calls) {
            lines.push_back(call.line);
            columns.push_back(call.column);
            functions.push_back(call.function_line);
            entries.push_back(call.entry);
        }
    }
    return nb::make_tuple(to_numpy(std::move(counts)), to_numpy(std::move(lines)),
                          to_numpy(std::move(columns)), to_numpy(std::move(functions)),
                          to_numpy(std::move(entries)));
}

}  // namespace

void bind_debug(nb::module_& module) {
    module.def("call_places", &call_places, nb::arg("sections"), nb::arg("addresses"));
}

}  // namespace malloom::native
