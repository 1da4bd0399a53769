// What one group of functions and all that they call do with pointers: the local and the bottom-up phase of
// data structure analysis. See contexts.h.
#pragma once

#include <llvm/ADT/DenseMap.h>

#include <memory>
#include <vector>

#include "compiler/analysis/points_to.h"

namespace malloom::compiler {

/// A set of objects in a graph.
struct ObjectNode {
    bool is_heap = false;    ///< some of them are requested here or in what is called
    bool is_shared = false;  ///< others than callers and callees reach them: never told apart
    uint64_t stride = 0;
    struct Pointer {
        int64_t offset;   ///< where it lies
        unsigned target;  ///< the node that it leads to
        int64_t at;       ///< and the offset there
    };
    std::vector<Pointer> pointers = {};
};

/// Where an argument or result leads.
struct NodePlace {
    unsigned node;
    int64_t offset;
};

/// A direct call of a function in another group, or in the same one.
struct GroupCall {
    llvm::CallBase* call;
    unsigned group;                    ///< the callee's
    std::vector<unsigned> nodes = {};  ///< for each node that callers of the callee see: the caller's
};

/// Functions that call each other, with their graph. Nodes that callers see come first.
struct GroupGraph {
    std::vector<llvm::Function*> functions;
    std::vector<ObjectNode> nodes = {};
    size_t seen_nodes = 0;  ///< so many of the nodes callers see; the others' pointers are left out
    llvm::DenseMap<const llvm::Value*, NodePlace> arguments;
    llvm::DenseMap<const llvm::Function*, NodePlace> results;
    std::vector<GroupCall> calls = {};
    /// Arguments that say how many bytes are requested, here or in what is called.
    std::vector<llvm::Argument*> sizes = {};
    size_t instructions = 0;
    bool may_be_cloned = true;
};

/// The groups of functions of a program, callees before their callers.
class GroupGraphs {
  public:
    /// With so many steps of the analysis for each instruction of the module.
    GroupGraphs(llvm::Module& module, const RangeOf& range_of, uint64_t patience);

    const std::vector<GroupGraph>& groups() const { return groups_; }
    /// The graphs became so large, or took so many steps, that they were given up.
    bool is_too_large() const { return nodes_ > most_nodes || steps_ > most_steps_; }
    uint64_t steps() const { return steps_; }
    size_t nodes() const { return nodes_; }

  private:
    static constexpr size_t most_nodes = size_t{1} << 21;  // and copies of them: of some 300 bytes each

    void add(std::vector<llvm::Function*> functions);
    void bring_in(GroupCall& call, const llvm::Function& callee, PointsTo& caller, std::vector<Cell>& cells);
    void find_sizes(GroupGraph& group) const;
    void number_nodes(GroupGraph& group, PointsTo& points_to, llvm::ArrayRef<std::vector<Cell>> cells);

    llvm::Module& module_;
    const RangeOf& range_of_;
    std::vector<GroupGraph> groups_;
    llvm::DenseMap<const llvm::Function*, unsigned> group_of_;
    size_t nodes_ = 0;
    uint64_t steps_ = 0, most_steps_;
};

}  // namespace malloom::compiler
