#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <stdexcept>
#include <tuple>
#include <utility>
#include <vector>

#include "src/native/accesses/kept.h"
#include "src/native/bindings.h"
#include "src/native/numpy_arrays.h"
#include "src/native/survey/affinity.h"
#include "src/native/survey/context_affinity.h"
#include "src/native/survey/line_use.h"
#include "src/native/survey/steady_phase.h"
#include "src/native/survey/usage.h"

namespace nb = nanobind;

namespace malloom::native {

namespace {

struct UsageColumns {
    explicit UsageColumns(const std::vector<RequestUsage>& usage)
        : accesses(usage.size()), first(usage.size()), last(usage.size()) {
        for (size_t i = 0; i < usage.size(); ++i) {
            accesses[i] = usage[i].accesses;
            first[i] = usage[i].first_access;
            last[i] = usage[i].last_access;
        }
    }
    std::vector<uint64_t> accesses, first, last;
};

struct Surveyed {
    UsageColumns usage;
    std::vector<uint64_t> steady_use;
    CompressedGraph graph;
};

Surveyed run_survey(AccessSource& source, size_t requests, const Steadiness& steadiness) {
    std::vector<RequestUsage> usage(requests);
    SteadyPhase phase(steadiness, usage);
    AffinityBuilder affinity(requests, AffinityBuilder::edges_for(requests));
    uint32_t previous = ~uint32_t{0};
    const auto prefetch = [&](uint32_t request) {
        __builtin_prefetch(&usage[request], 1);
        affinity.prefetch(request);
    };
    const auto consume = [&](uint32_t request, uint64_t count, uint64_t first, uint64_t last) {
        phase.add_run(request, first, last);
        add_run(usage[request], count, first, last);
        if (previous != ~uint32_t{0}) affinity.add(previous, request);
        previous = request;
    };
    phase.finish(for_each_run(source, requests, prefetch, consume));
    UsageColumns columns(usage);
    usage = {};  // before the graph needs memory
    return {std::move(columns), phase.take_first_uses(), affinity.compress()};
}

/// (accesses, first and last access per request; first use in the steady phase per request, empty where there
/// is none; the affinity graph; the accesses that were kept)
nb::tuple survey(AccessSource& source, size_t requests, uint64_t expected,
                 std::tuple<uint64_t, uint64_t, uint64_t> steadiness, std::pair<uint64_t, uint64_t> windows) {
    auto kept = std::make_unique<KeptAccesses>(windows.first, windows.second, expected);
    KeepingAccesses keeping(source, *kept);
    const Steadiness wanted{std::get<0>(steadiness), std::get<1>(steadiness), std::get<2>(steadiness)};
    auto found = [&] {
        const nb::gil_scoped_release unlocked;
        return run_survey(keeping, requests, wanted);
    }();
    return nb::make_tuple(
        nb::make_tuple(to_numpy(std::move(found.usage.accesses)), to_numpy(std::move(found.usage.first)),
                       to_numpy(std::move(found.usage.last))),
        to_numpy(std::move(found.steady_use)),
        nb::make_tuple(to_numpy(std::move(found.graph.offsets)), to_numpy(std::move(found.graph.targets)),
                       to_numpy(std::move(found.graph.weights))),
        std::move(kept));
}

/// (the graph's columns; uses per context)
nb::tuple context_affinity(AccessSource& source, const ArrayView<uint32_t>& context, size_t contexts,
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

/// A record as its words, one after the other.
std::vector<uint64_t> words_of(const std::vector<LineUse::Line>& lines) {
    std::vector<uint64_t> words;
    words.reserve(3 * lines.size());
    for (const LineUse::Line& line : lines) words.insert(words.end(), {line.accesses, line.first, line.used});
    return words;
}

/// Of each layout, given as an address per request: (pages; of each of their lines three words: accesses, the
/// first one, a bit for each byte that is used).
nb::list use_of_lines(AccessSource& source, const std::vector<ArrayView<uint64_t>>& layouts) {
    std::vector<LineUse> uses;
    uses.reserve(layouts.size());
    for (const auto& addresses : layouts) uses.emplace_back(to_span(addresses));
    unlocked([&] {
        uint64_t position = 0;
        for (auto batch = source.next_batch(); !batch.empty(); batch = source.next_batch()) {
            for (LineUse& use : uses) {
                for (size_t i = 0; i < batch.size(); ++i) use.add(batch[i], position + i);
            }
            position += batch.size();
        }
        return position;
    });
    nb::list found;
    for (LineUse& use : uses) {
        auto pages = to_numpy(use.take_pages());
        found.append(nb::make_tuple(std::move(pages), to_numpy(words_of(use.take_lines()))));
    }
    return found;
}

}  // namespace

void bind_survey(nb::module_& module) {
    module.def("survey", &survey, nb::arg("source"), nb::arg("requests"), nb::arg("expected"),
               nb::arg("steadiness"), nb::arg("kept"));
    module.def("context_affinity", &context_affinity, nb::arg("source"), nb::arg("context"),
               nb::arg("contexts"), nb::arg("distance"));
    module.def("use_of_lines", &use_of_lines, nb::arg("source"), nb::arg("layouts"));
}

}  // namespace malloom::native
