#include <nanobind/stl/tuple.h>

#include <stdexcept>

#include "src/native/bindings.h"
#include "src/native/numpy_arrays.h"
#include "src/native/orders/chains.h"
#include "src/native/orders/conflicts.h"
#include "src/native/orders/graph.h"
#include "src/native/orders/subtrees.h"
#include "src/native/orders/walks.h"

namespace nb = nanobind;

namespace malloom::native {

namespace {

using U32 = ArrayView<uint32_t>;
using U64 = ArrayView<uint64_t>;
using I64 = ArrayView<int64_t>;

GraphView graph_of(const U64& offsets, const U32& targets, const U32& weights) {
    const GraphView graph{to_span(offsets), to_span(targets), to_span(weights)};
    graph.check();
    return graph;
}

void require_length(size_t length, size_t wanted) {
    if (length != wanted) {
        throw std::invalid_argument("a column and the graph differ in length");
    }
}

OwnedArray<uint32_t> bound_depth_first(const U64& offsets, const U32& targets, const U32& weights,
                                       const U32& roots) {
    return to_numpy(
        unlocked([&] { return depth_first(graph_of(offsets, targets, weights), to_span(roots)); }));
}

OwnedArray<uint32_t> bound_grouped(const U64& offsets, const U32& targets, const U32& weights,
                                   const U32& hubs) {
    return to_numpy(unlocked([&] { return grouped(graph_of(offsets, targets, weights), to_span(hubs)); }));
}

OwnedArray<uint32_t> bound_in_order_of_use(const U64& offsets, const U32& targets, const U32& weights,
                                           const U64& rank) {
    const GraphView graph = graph_of(offsets, targets, weights);
    require_length(rank.shape(0), graph.nodes());
    return to_numpy(unlocked([&] { return in_order_of_use(graph, to_span(rank)); }));
}

OwnedArray<uint32_t> bound_chains(const U64& offsets, const U32& targets, const U32& weights, const U64& rank,
                                  unsigned levels) {
    const GraphView graph = graph_of(offsets, targets, weights);
    require_length(rank.shape(0), graph.nodes());
    return to_numpy(unlocked([&] { return affinity_chains(graph, to_span(rank), levels); }));
}

OwnedArray<uint32_t> bound_avoid_conflicts(const U64& offsets, const U32& targets, const U32& weights,
                                           const U32& order, const U32& granules, uint64_t sets,
                                           unsigned ways, uint64_t line_granules) {
    return to_numpy(unlocked([&] {
        return avoid_conflicts(graph_of(offsets, targets, weights), to_span(order), to_span(granules),
                               {sets, ways, line_granules});
    }));
}

OwnedArray<int64_t> bound_usage_tree(const U64& offsets, const U32& targets, const U32& weights,
                                     const U64& rank) {
    const GraphView graph = graph_of(offsets, targets, weights);
    require_length(rank.shape(0), graph.nodes());
    return to_numpy(unlocked([&] { return usage_tree(graph, to_span(rank)); }));
}

OwnedArray<uint32_t> bound_subtrees(const I64& parent, const U64& rank, const U32& granules,
                                    uint64_t page_granules, uint64_t line_granules) {
    return to_numpy(unlocked([&] {
        return subtree_clusters(to_span(parent), to_span(rank), to_span(granules),
                                {page_granules, line_granules});
    }));
}

}  // namespace

void bind_orders(nb::module_& module) {
    module.def("depth_first", &bound_depth_first, nb::arg("offsets"), nb::arg("targets"), nb::arg("weights"),
               nb::arg("roots"));
    module.def("grouped", &bound_grouped, nb::arg("offsets"), nb::arg("targets"), nb::arg("weights"),
               nb::arg("hubs"));
    module.def("in_order_of_use", &bound_in_order_of_use, nb::arg("offsets"), nb::arg("targets"),
               nb::arg("weights"), nb::arg("rank"));
    module.def("affinity_chains", &bound_chains, nb::arg("offsets"), nb::arg("targets"), nb::arg("weights"),
               nb::arg("rank"), nb::arg("levels"));
    module.def("avoid_conflicts", &bound_avoid_conflicts, nb::arg("offsets"), nb::arg("targets"),
               nb::arg("weights"), nb::arg("order"), nb::arg("granules"), nb::arg("sets"), nb::arg("ways"),
               nb::arg("line_granules"));
    module.def("usage_tree", &bound_usage_tree, nb::arg("offsets"), nb::arg("targets"), nb::arg("weights"),
               nb::arg("rank"));
    module.def("subtree_clusters", &bound_subtrees, nb::arg("parent"), nb::arg("rank"), nb::arg("granules"),
               nb::arg("page_granules"), nb::arg("line_granules"));
}

}  // namespace malloom::native
