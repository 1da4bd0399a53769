#include "compiler/analysis/group_graph.h"

#include <llvm/ADT/SCCIterator.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/Analysis/CallGraph.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>

#include "compiler/analysis/constraints.h"

namespace malloom::compiler {

namespace {

/// Whether another function with the same code can take its place, for those who call it by its name.
bool may_be_cloned(const llvm::Function& function) {
    const bool has_marked_blocks =
        llvm::any_of(function, [](const llvm::BasicBlock& block) { return block.hasAddressTaken(); });
    const bool has_single_calls = llvm::any_of(llvm::instructions(function), [](const auto& instruction) {
        const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
        return call != nullptr && (call->cannotDuplicate() || call->isInlineAsm());
    });
    return function.hasExactDefinition() && !function.isVarArg() && !has_marked_blocks && !has_single_calls &&
           !function.hasFnAttribute(llvm::Attribute::Naked) && !function.isPresplitCoroutine();
}

/// Numbers the sets of a graph as nodes, as they are met.
class Numbering {
  public:
    explicit Numbering(GroupGraph& group) : group_(group) {}

    NodePlace place_of(Cell cell) {
        const auto [found, is_new] =
            numbers_.try_emplace(cell.set, static_cast<unsigned>(group_.nodes.size()));
        if (is_new) {
            sets_.push_back(cell.set);
            group_.nodes.push_back(
                {cell.set->has(Trait::heap), cell.set->has(Trait::escaped), cell.set->stride()});
        }
        return {found->second, cell.offset};
    }

    /// Of all nodes that there are by now, and of those that are met there. What is shared leads to what is.
    void follow_pointers(const AliasSets& sets) {
        for (; followed_ < sets_.size(); ++followed_) {
            if (group_.nodes[followed_].is_shared) {
                continue;
            }
            for (const auto& [offset, to] : sets_[followed_]->pointers()) {
                const NodePlace target = place_of(sets.resolve(to));
                group_.nodes[followed_].pointers.push_back({offset, target.node, target.offset});
            }
        }
    }

  private:
    GroupGraph& group_;
    llvm::DenseMap<const AliasSet*, unsigned> numbers_;
    std::vector<const AliasSet*> sets_;
    size_t followed_ = 0;
};

/// Sets of a caller's graph for all nodes that are seen of a callee's.
std::vector<Cell> copies_of(const GroupGraph& callee, AliasSets& sets) {
    std::vector<Cell> cells(callee.seen_nodes);
    for (size_t i = 0; i < cells.size(); ++i) {
        const ObjectNode& node = callee.nodes[i];
        cells[i] = sets.add();
        if (node.is_heap) {
            sets.add_trait(cells[i], Trait::heap);
        }
        if (node.is_shared) {
            sets.add_trait(cells[i], Trait::escaped);
        }
        if (node.stride != 0) {
            sets.add_stride(cells[i], node.stride);
        }
    }
    for (size_t i = 0; i < cells.size(); ++i) {
        for (const ObjectNode::Pointer& pointer : callee.nodes[i].pointers) {
            sets.unify(sets.pointee(cells[i].plus(pointer.offset)), cells[pointer.target].plus(pointer.at));
        }
    }
    return cells;
}

}  // namespace

GroupGraphs::GroupGraphs(llvm::Module& module, const RangeOf& range_of, uint64_t patience)
    : module_(module), range_of_(range_of), most_steps_(patience * module.getInstructionCount()) {
    llvm::CallGraph calls(module);
    for (auto group = llvm::scc_begin(&calls); !group.isAtEnd() && !is_too_large(); ++group) {
        std::vector<llvm::Function*> functions;
        for (const llvm::CallGraphNode* node : *group) {
            if (node->getFunction() != nullptr && !node->getFunction()->isDeclaration()) {
                functions.push_back(node->getFunction());
            }
        }
        if (!functions.empty()) {
            add(std::move(functions));
        }
    }
}

void GroupGraphs::add(std::vector<llvm::Function*> functions) {
    const auto number = static_cast<unsigned>(groups_.size());
    GroupGraph group;
    group.functions = std::move(functions);
    for (const llvm::Function* function : group.functions) {
        group_of_[function] = number;
        group.instructions += function->getInstructionCount();
        group.may_be_cloned &= malloom::compiler::may_be_cloned(*function);
    }
    PointsTo points_to(module_, group.functions, range_of_, most_steps_ - steps_);
    std::vector<std::vector<Cell>> cells;
    for (const OuterCall& outer : points_to.outer_calls()) {
        const auto callee = group_of_.find(outer.callee);
        if (callee != group_of_.end() && !is_too_large() && outer.call->getCalledFunction() == outer.callee) {
            GroupCall& call = group.calls.emplace_back(GroupCall{outer.call, callee->second});
            bring_in(call, *outer.callee, points_to, cells.emplace_back());
        }
    }
    points_to.solve();
    steps_ += points_to.sets().steps();
    number_nodes(group, points_to, cells);
    for (llvm::Function* function : group.functions) {
        for (llvm::User* user : function->users()) {
            auto* call = llvm::dyn_cast<llvm::CallBase>(user);
            if (call != nullptr && call->getCalledFunction() == function &&
                llvm::is_contained(group.functions, call->getFunction())) {
                group.calls.push_back({call, number});
            }
        }
    }
    find_sizes(group);
    nodes_ += group.nodes.size();
    groups_.push_back(std::move(group));
}

/// Those of functions that hand on what they are asked for, as wrappers of malloc do. One that calls itself
/// may do so with another number.
void GroupGraphs::find_sizes(GroupGraph& group) const {
    const bool is_recursive = llvm::any_of(group.calls, [&](const GroupCall& call) {
        return llvm::is_contained(group.functions, call.call->getCalledFunction());
    });
    if (is_recursive) {
        return;
    }
    const auto take = [&](llvm::Value* value) {
        auto* argument = llvm::dyn_cast<llvm::Argument>(value);
        if (argument != nullptr && !llvm::is_contained(group.sizes, argument)) {
            group.sizes.push_back(argument);
        }
    };
    for (llvm::Function* function : group.functions) {
        for (llvm::Instruction& instruction : llvm::instructions(*function)) {
            auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
            const llvm::Function* callee = call != nullptr ? call->getCalledFunction() : nullptr;
            if (callee != nullptr && callee->isDeclaration()) {
                for (const unsigned operand : size_operands(*call)) {
                    take(call->getArgOperand(operand));
                }
            }
        }
    }
    for (const GroupCall& call : group.calls) {
        for (const llvm::Argument* size : groups_[call.group].sizes) {
            if (size->getParent() == call.call->getCalledFunction()) {
                take(call.call->getArgOperand(size->getArgNo()));
            }
        }
    }
}

/// What a call's arguments and result lead to becomes the same as what the callee's do.
void GroupGraphs::bring_in(GroupCall& call, const llvm::Function& callee, PointsTo& caller,
                           std::vector<Cell>& cells) {
    const GroupGraph& group = groups_[call.group];
    nodes_ += group.seen_nodes;
    cells = copies_of(group, caller.sets());
    const auto unify = [&](const llvm::Value* value, const NodePlace& place) {
        caller.sets().unify(caller.at(value), cells[place.node].plus(place.offset));
    };
    for (unsigned i = 0; i < std::min<size_t>(call.call->arg_size(), callee.arg_size()); ++i) {
        if (const auto found = group.arguments.find(callee.getArg(i)); found != group.arguments.end()) {
            unify(call.call->getArgOperand(i), found->second);
        }
    }
    if (const auto found = group.results.find(&callee); found != group.results.end()) {
        unify(call.call, found->second);
    }
}

void GroupGraphs::number_nodes(GroupGraph& group, PointsTo& points_to,
                               llvm::ArrayRef<std::vector<Cell>> cells) {
    Numbering numbering(group);
    for (const llvm::Function* function : group.functions) {
        for (const llvm::Argument& argument : function->args()) {
            if (const Cell cell = points_to.at(&argument)) {
                group.arguments[&argument] = numbering.place_of(cell);
            }
        }
        if (const Cell cell = points_to.result_of(function)) {
            group.results[function] = numbering.place_of(cell);
        }
    }
    numbering.follow_pointers(points_to.sets());
    group.seen_nodes = group.nodes.size();
    for (size_t i = 0; i < cells.size(); ++i) {
        for (const Cell cell : cells[i]) {
            group.calls[i].nodes.push_back(numbering.place_of(points_to.sets().resolve(cell)).node);
        }
    }
}

}  // namespace malloom::compiler
