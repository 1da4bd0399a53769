#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <string>
#include <tuple>

#include "formats/fields_file.h"
#include "formats/word_checksum.h"
#include "src/native/bindings.h"
#include "src/native/fields/field_counter.h"
#include "src/native/fields/machine.h"
#include "src/native/numpy_arrays.h"
#include "src/native/simulation/addresses.h"

namespace nb = nanobind;

namespace malloom::native {

namespace {

using Shapes = std::vector<std::tuple<uint64_t, unsigned, uint64_t>>;

std::vector<CacheShape> to_shapes(const Shapes& shapes) {
    std::vector<CacheShape> all;
    for (const auto& [sets, ways, line_bytes] : shapes) all.push_back({sets, ways, line_bytes});
    return all;
}

void count_all(AccessSource& source, const SimulatedAddresses& addresses, Machine& machine,
               FieldCounter& counter) {
    for (auto batch = source.next_batch(); !batch.empty(); batch = source.next_batch()) {
        for (const ResolvedAccess& access : batch) {
            if (access.request >= addresses.requests()) {
                throw std::out_of_range("an access belongs to no request of the profile");
            }
            const uint64_t start = addresses.address(access.request, SimulatedAddresses::unplaced);
            counter.add(access, machine.access(start + access.offset(), access.size(), access.weight));
        }
    }
}

template <class Entry>
nb::bytes to_bytes(const std::vector<Entry>& table) {
    return nb::bytes(static_cast<const void*>(table.data()), table.size() * sizeof(Entry));
}

/// The tables of kinds, fields and pairs as they lie in the file, accesses in all, and those at no field; at
/// last the sets of fields that were used in one visit, which no file has.
nb::tuple count_fields(AccessSource& source, const ArrayView<uint64_t>& recorded,
                       const ArrayView<uint64_t>& sizes, const ArrayView<uint32_t>& kind_of_request,
                       size_t kinds, const Shapes& caches, const Shapes& tlbs, const std::string& replacement,
                       bool sampled) {
    FieldTables tables;
    {
        nb::gil_scoped_release unlocked;
        const SimulatedAddresses addresses(to_span(recorded), to_span(sizes));
        const auto machine = make_machine({to_shapes(caches), to_shapes(tlbs)}, replacement);
        if (sampled) machine->assume_all_used();
        const auto& [sets, ways, line_bytes] = caches.front();
        FieldCounter counter(to_span(kind_of_request), kinds, caches.size(), sets * ways);
        count_all(source, addresses, *machine, counter);
        tables = counter.take();
    }
    return nb::make_tuple(to_bytes(tables.kinds), to_bytes(tables.fields), to_bytes(tables.pairs),
                          tables.accesses, tables.unattributed, to_bytes(tables.sets));
}

const unsigned char* start_of(const nb::bytes& data) {
    return static_cast<const unsigned char*>(data.data());
}

template <class File>
std::string problem_of(const nb::bytes& data) {
    File file;
    return file.open(start_of(data), data.size()) ? "" : file.problem();
}

uint64_t checksum_of(const nb::bytes& data, size_t left_out) {
    return formats::word_checksum(start_of(data), data.size() / 8 * 8, left_out);
}

}  // namespace

void bind_fields(nb::module_& module) {
    module.def("count_fields", &count_fields, nb::arg("source"), nb::arg("recorded"), nb::arg("sizes"),
               nb::arg("kind_of_request"), nb::arg("kinds"), nb::arg("caches"), nb::arg("tlbs"),
               nb::arg("replacement"), nb::arg("sampled"));
    module.def("fields_problem", &problem_of<formats::FieldsFile>, nb::arg("data"));
    module.def("sites_problem", &problem_of<formats::SitesFile>, nb::arg("data"));
    module.def("word_checksum", &checksum_of, nb::arg("data"), nb::arg("left_out"));
}

}  // namespace malloom::native
