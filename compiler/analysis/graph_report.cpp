#include "compiler/analysis/graph_report.h"

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/DenseSet.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringExtras.h>

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace malloom::compiler {

namespace {

constexpr std::pair<Trait, const char*> told_traits[] = {
    {Trait::stack, "stack"},     {Trait::global, "global"},        {Trait::function, "function"},
    {Trait::escaped, "escaped"}, {Trait::exposed, "exposed"},      {Trait::many_in_one, "many in one"},
    {Trait::resized, "resized"}, {Trait::foreign_heap, "foreign"}, {Trait::calculated, "calculated"},
};

struct Edge {
    Cell from, to;
};

bool has_trait(const AliasSet& set) {
    return set.has(Trait::heap) ||
           llvm::any_of(told_traits, [&](const auto& told) { return set.has(told.first); });
}

/// What is known of a set's objects, each fact once and in an order that no renaming changes.
std::vector<std::string> facts_of(const AliasSet& set) {
    std::set<std::string> requests;
    for (const Request& request : set.requests) {
        requests.insert("heap " + (request.bytes != 0 ? std::to_string(request.bytes) : "?") +
                        (request.begin() != 0 ? " at " + std::to_string(request.begin()) : ""));
    }
    std::vector<std::string> facts(requests.begin(), requests.end());
    for (const auto& [trait, name] : told_traits) {
        if (set.has(trait)) {
            facts.emplace_back(name);
        }
    }
    if (set.stride() != 0) {
        facts.push_back("stride " + std::to_string(set.stride()));
    }
    for (const Region& region : set.regions()) {
        facts.push_back("array " + std::to_string(region.begin) + ".." + std::to_string(region.end) + " by " +
                        std::to_string(region.stride));
    }
    for (const auto& offsets : set.ambiguous()) {
        facts.emplace_back("one of");
        for (const int64_t offset : offsets) {
            facts.back() += " " + std::to_string(offset);
        }
    }
    return facts;
}

class Graph {
  public:
    explicit Graph(AliasSets& sets) {
        find_edges(sets);
        find_connected(sets);
        for (const AliasSet* set : sets.all()) {
            if (connected_.contains(set)) {
                numbers_.try_emplace(set, static_cast<unsigned>(numbers_.size()));
                order_.push_back(set);
            }
        }
        find_origins();
    }

    void print(llvm::raw_ostream& out) const {
        for (const AliasSet* set : order_) {
            const std::vector<std::string> facts = facts_of(*set);
            out << "graph: " << numbers_.at(set) << " is "
                << (facts.empty() ? "unknown" : llvm::join(facts, ", ")) << '\n';
        }
        for (const Edge& edge : edges_) {
            if (connected_.contains(edge.from.set)) {
                out << "graph: " << text_of(edge.from) << " -> " << text_of(edge.to) << '\n';
            }
        }
    }

  private:
    /// Pointers that lead to something, in objects that something leads to: values of several parts are no
    /// objects.
    void find_edges(AliasSets& sets) {
        llvm::DenseSet<const AliasSet*> targets;
        std::vector<Edge> all;
        for (AliasSet* set : sets.all()) {
            for (const auto& [offset, pointee] : set->pointers()) {
                const Cell to = sets.resolve(pointee);
                if (has_trait(*to.set) || !to.set->pointers().empty()) {
                    all.push_back({{set, offset}, to});
                    targets.insert(to.set);
                }
            }
        }
        llvm::copy_if(all, std::back_inserter(edges_), [&](const Edge& edge) {
            return has_trait(*edge.from.set) || targets.contains(edge.from.set);
        });
    }

    void find_connected(AliasSets& sets) {
        for (const AliasSet* set : sets.all()) {
            if (set->has(Trait::heap)) {
                connected_.insert(set);
            }
        }
        for (size_t before = 0; before != connected_.size();) {
            before = connected_.size();
            for (const Edge& edge : edges_) {
                if (connected_.contains(edge.from.set) || connected_.contains(edge.to.set)) {
                    connected_.insert(edge.from.set);
                    connected_.insert(edge.to.set);
                }
            }
        }
    }

    void find_origins() {
        for (const Edge& edge : edges_) {
            for (const Cell cell : {edge.from, edge.to}) {
                const auto [origin, is_new] = origins_.try_emplace(cell.set, cell.offset);
                origin->second = cell.set->is_anchored() ? 0 : std::min(origin->second, cell.offset);
            }
        }
    }

    std::string text_of(Cell cell) const {
        return std::to_string(numbers_.at(cell.set)) + "+" +
               std::to_string(cell.offset - origins_.at(cell.set));
    }

    std::vector<Edge> edges_;
    llvm::DenseSet<const AliasSet*> connected_;
    llvm::DenseMap<const AliasSet*, unsigned> numbers_;
    std::vector<const AliasSet*> order_;
    llvm::DenseMap<const AliasSet*, int64_t> origins_;
};

}  // namespace

void print_graph(llvm::raw_ostream& out, const PointsTo& points_to) {
    Graph(points_to.sets()).print(out);
}

}  // namespace malloom::compiler
