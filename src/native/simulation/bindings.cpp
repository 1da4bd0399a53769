#include <nanobind/stl/function.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <tuple>

#include "src/native/bindings.h"
#include "src/native/numpy_arrays.h"
#include "src/native/simulation/footprint.h"
#include "src/native/simulation/layouts.h"
#include "src/native/simulation/whole_run.h"

namespace nb = nanobind;

namespace malloom::native {

namespace {

using Shapes = std::vector<std::tuple<uint64_t, unsigned, uint64_t>>;
using Counts = std::vector<std::tuple<uint64_t, uint64_t, uint64_t>>;

std::vector<CacheShape> to_shapes(const Shapes& shapes) {
    std::vector<CacheShape> all;
    for (const auto& [sets, ways, line_bytes] : shapes) {
        all.push_back({sets, ways, line_bytes});
    }
    return all;
}

Counts to_counts(const std::vector<CacheCounts>& levels) {
    Counts all;
    for (const CacheCounts& level : levels) {
        all.emplace_back(level.references, level.misses, level.hidden);
    }
    return all;
}

/// The layouts of one profile under one geometry, and what the simulation counted for each.
class Simulation {
  public:
    Simulation(const ArrayView<uint64_t>& recorded, ArrayView<uint64_t> sizes, ArrayView<uint64_t> accesses,
               ArrayView<uint64_t> first_access, ArrayView<uint32_t> contexts, size_t context_count,
               const Shapes& caches, const Shapes& tlbs, std::string replacement)
        : sizes_(std::move(sizes)),
          accesses_(std::move(accesses)),
          first_access_(std::move(first_access)),
          contexts_(std::move(contexts)),
          context_count_(context_count),
          addresses_(to_span(recorded), to_span(sizes_)),
          geometry_{to_shapes(caches), to_shapes(tlbs)},
          replacement_(std::move(replacement)) {
        if (accesses_.shape(0) != addresses_.requests() || first_access_.shape(0) != addresses_.requests()) {
            throw std::invalid_argument("the requests' columns differ in length");
        }
        check_contexts();
    }
    Simulation(const Simulation&) = delete;
    Simulation& operator=(const Simulation&) = delete;

    /// Adds a layout whose arena begins with so many bytes in huge pages; returns the lines and pages that it
    /// touches.
    std::pair<uint64_t, uint64_t> add(const ArrayView<int64_t>& offsets, uint64_t huge_bytes) {
        std::vector<uint32_t> granules = addresses_.granules(to_span(offsets));
        const Footprint touched = footprint(addresses_, granules, to_span(sizes_), to_span(accesses_));
        layouts_.push_back(
            make_simulated_layout(geometry_, replacement_, requests(), std::move(granules), {}, huge_bytes));
        return {touched.lines, touched.pages};
    }

    /// Adds a layout in which some requests' objects have their fields in other places (MovedFields):
    /// `second` as `offsets`, -1 where the fields stay.
    void add_moved(const ArrayView<int64_t>& offsets, const ArrayView<int64_t>& second,
                   const ArrayView<uint32_t>& places, uint64_t first_bytes, uint64_t second_bytes) {
        const auto of_bytes = to_span(places);
        MovedFields moved{addresses_.granules(to_span(second)),
                          {of_bytes.begin(), of_bytes.end()},
                          first_bytes,
                          second_bytes};
        moved.check(addresses_.requests());
        layouts_.push_back(make_simulated_layout(geometry_, replacement_, requests(),
                                                 addresses_.granules(to_span(offsets)), std::move(moved)));
    }

    /// Forgets all layouts but those with these numbers, and all that was counted.
    void retain(const std::vector<size_t>& numbers) {
        std::vector<std::unique_ptr<SimulatedLayout>> kept;
        for (const size_t number : numbers) {
            kept.push_back(std::move(layouts_.at(number)));
            kept.back()->reset();
        }
        layouts_ = std::move(kept);
    }

    void run(AccessSource& source, uint64_t window, uint64_t warm_up, uint64_t skip,
             const nb::object& progress) {
        const bool tells = !progress.is_none();
        const auto tell = [&](uint64_t done) {
            nb::gil_scoped_acquire locked;
            if (PyErr_CheckSignals() != 0) {
                throw nb::python_error();
            }
            if (tells) {
                progress(done);
            }
        };
        nb::gil_scoped_release unlocked;
        simulate(source, layouts_, requests(), {window, warm_up, skip}, tell);
    }

    /// What add was given for the layout of that number.
    nb::object offsets(size_t number) const {
        const std::span<const uint32_t> granules = layouts_.at(number)->granules();
        std::vector<int64_t> offsets(granules.size());
        for (size_t request = 0; request < granules.size(); ++request) {
            const bool is_placed = granules[request] != SimulatedAddresses::unplaced;
            offsets[request] = is_placed ? int64_t{granules[request]} * 16 : -1;
        }
        return nb::cast(to_numpy(std::move(offsets)));
    }

    std::vector<Counts> counts() const {
        std::vector<Counts> all;
        all.reserve(layouts_.size());
        for (const auto& layout : layouts_) {
            all.push_back(to_counts(layout->counts()));
        }
        return all;
    }

    /// Of the layout of that number, as MissesByContext has them, in one row; empty without contexts.
    nb::object counts_by_context(size_t number) const {
        const std::span<const uint64_t> counts = layouts_.at(number)->counts_by_context();
        return nb::cast(to_numpy(std::vector<uint64_t>(counts.begin(), counts.end())));
    }

  private:
    void check_contexts() const {
        if (context_count_ == 0) return;
        const std::span<const uint32_t> contexts = to_span(contexts_);
        if (contexts.size() != addresses_.requests()) {
            throw std::invalid_argument("the requests' columns differ in length");
        }
        if (std::ranges::any_of(contexts, [&](uint32_t context) { return context >= context_count_; })) {
            throw std::out_of_range("a request is of no context");
        }
    }

    SimulatedRequests requests() const {
        return {addresses_, to_span(sizes_), to_span(first_access_), {to_span(contexts_), context_count_}};
    }

    ArrayView<uint64_t> sizes_;
    ArrayView<uint64_t> accesses_;
    ArrayView<uint64_t> first_access_;
    ArrayView<uint32_t> contexts_;
    size_t context_count_;
    SimulatedAddresses addresses_;
    Geometry geometry_;
    std::string replacement_;
    std::vector<std::unique_ptr<SimulatedLayout>> layouts_;
};

using Machine = std::tuple<Shapes, Shapes>;

/// (accesses, lines, pages, levels of each machine, (streams, first, second level) of each prefetcher)
nb::tuple simulate_addresses(AddressSource& source, const std::vector<Machine>& machines,
                             const std::vector<Shapes>& prefetchers) {
    std::vector<Geometry> geometries;
    geometries.reserve(machines.size());
    for (const auto& [caches, tlbs] : machines) geometries.push_back({to_shapes(caches), to_shapes(tlbs)});
    std::vector<std::pair<CacheShape, CacheShape>> engines;
    for (const Shapes& shapes : prefetchers) {
        if (shapes.size() != 2) throw std::invalid_argument("a prefetcher has two caches");
        const std::vector<CacheShape> two = to_shapes(shapes);
        engines.emplace_back(two[0], two[1]);
    }
    WholeRun run;
    {
        nb::gil_scoped_release unlocked;
        run = simulate_run(source, geometries, engines, [] {
            nb::gil_scoped_acquire locked;
            if (PyErr_CheckSignals() != 0) throw nb::python_error();
        });
    }
    std::vector<Counts> levels;
    levels.reserve(run.machines.size());
    for (const auto& counts : run.machines) levels.push_back(to_counts(counts));
    Counts prefetched;
    for (const PrefetchCounts& counts : run.prefetchers) {
        prefetched.emplace_back(counts.streams, counts.first_level, counts.second_level);
    }
    return nb::make_tuple(run.accesses, run.lines, run.pages, levels, prefetched);
}

}  // namespace

void bind_simulation(nb::module_& module) {
    nb::class_<Simulation>(module, "Simulation")
        .def(nb::init<ArrayView<uint64_t>, ArrayView<uint64_t>, ArrayView<uint64_t>, ArrayView<uint64_t>,
                      ArrayView<uint32_t>, size_t, const Shapes&, const Shapes&, std::string>(),
             nb::arg("recorded"), nb::arg("sizes"), nb::arg("accesses"), nb::arg("first_access"),
             nb::arg("contexts"), nb::arg("context_count"), nb::arg("caches"), nb::arg("tlbs"),
             nb::arg("replacement"))
        .def("add", &Simulation::add, nb::arg("offsets"), nb::arg("huge_bytes"))
        .def("add_moved", &Simulation::add_moved, nb::arg("offsets"), nb::arg("second"), nb::arg("places"),
             nb::arg("first_bytes"), nb::arg("second_bytes"))
        .def("retain", &Simulation::retain, nb::arg("numbers"))
        .def("run", &Simulation::run, nb::arg("source"), nb::arg("window"), nb::arg("warm_up"),
             nb::arg("skip"), nb::arg("progress").none())
        .def("offsets", &Simulation::offsets, nb::arg("number"))
        .def("counts", &Simulation::counts)
        .def("counts_by_context", &Simulation::counts_by_context, nb::arg("number"));
    module.def("simulate_addresses", &simulate_addresses, nb::arg("source"), nb::arg("machines"),
               nb::arg("prefetchers"));
}

}  // namespace malloom::native
