#include "compiler/analysis/contexts.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/Constants.h>

#include <algorithm>
#include <map>

#include "compiler/analysis/group_graph.h"

namespace malloom::compiler {

namespace {

/// Clones may add so much of the program's instructions, or so many instructions where that is more. Those
/// that turn out to bring nothing are gone after the decision.
constexpr double most_growth = 0.25;
constexpr size_t always_growth = 20'000;

/// Objects as they are told apart in the whole program; 0: not told apart from others.
using Objects = uint64_t;
/// What a context is known by: the objects behind the nodes that callers see, and then what the arguments are
/// that say how many bytes are requested; 0: not known.
using Key = std::vector<uint64_t>;
/// A call, by the caller's context and the number of the call there.
struct Caller {
    unsigned context;
    size_t call;
};

/// From callers to callees: what each call gives.
class TopDown {
  public:
    explicit TopDown(const std::vector<GroupGraph>& groups) : groups_(groups), callers_(groups.size()) {
        size_t all = 0;
        for (const GroupGraph& group : groups) {
            all += group.instructions;
        }
        left_ = std::max(always_growth, static_cast<size_t>(most_growth * static_cast<double>(all)));
    }

    std::vector<Context> run() {
        for (size_t i = groups_.size(); i-- > 0;) {
            take(static_cast<unsigned>(i));
        }
        return std::move(contexts_);
    }

  private:
    void take(unsigned group);
    void add_context(unsigned group, const Key& key, llvm::ArrayRef<Caller> callers);
    Key given_by(const GroupCall& call, const Context& caller, llvm::ArrayRef<Objects> objects) const;

    const std::vector<GroupGraph>& groups_;
    std::vector<Context> contexts_;
    std::vector<std::map<Key, std::vector<Caller>>> callers_;  ///< of each group
    size_t left_;                                              ///< instructions that clones may still have
    Objects last_ = 0;
};

/// Whether somebody may call one of the functions whose calls are not followed.
bool has_other_callers(const GroupGraph& group) {
    return llvm::any_of(group.functions, [](const llvm::Function* function) {
        return !function->hasLocalLinkage() || function->hasAddressTaken();
    });
}

/// Of what clones may add, half of what is left is for those that come later.
void TopDown::take(unsigned group) {
    const GroupGraph& graph = groups_[group];
    std::map<Key, std::vector<Caller>> callers = std::move(callers_[group]);
    const Key unknown(graph.seen_nodes + graph.sizes.size());
    if (has_other_callers(graph) || callers.empty()) {
        callers[unknown];
    }
    const size_t added = (callers.size() - 1) * graph.instructions;
    if (callers.size() > 1 && (!graph.may_be_cloned || added > left_ / 2)) {
        std::vector<Caller> all;
        for (const auto& [key, some] : callers) {
            all.insert(all.end(), some.begin(), some.end());
        }
        callers = {{unknown, std::move(all)}};
    } else {
        left_ -= added;
    }
    for (const auto& [key, some] : callers) {
        add_context(group, key, some);
    }
}

void TopDown::add_context(unsigned group, const Key& key, llvm::ArrayRef<Caller> callers) {
    const GroupGraph& graph = groups_[group];
    const auto number = static_cast<unsigned>(contexts_.size());
    for (const Caller& caller : callers) {
        contexts_[caller.context].calls[caller.call].context = number;
    }
    std::vector<Objects> objects(key.begin(), key.begin() + static_cast<ptrdiff_t>(graph.seen_nodes));
    for (size_t i = graph.seen_nodes; i < graph.nodes.size(); ++i) {
        const bool is_told_apart = graph.nodes[i].is_heap && !graph.nodes[i].is_shared;
        objects.push_back(is_told_apart ? ++last_ : 0);
    }
    Context context = {group};
    for (size_t i = 0; i < graph.sizes.size(); ++i) {
        if (const uint64_t bytes = key[graph.seen_nodes + i]; bytes != 0) {
            context.sizes.emplace_back(graph.sizes[i], bytes);
        }
    }
    for (const GroupCall& call : graph.calls) {
        if (call.group != group) {
            callers_[call.group][given_by(call, context, objects)].push_back({number, context.calls.size()});
        }
        context.calls.push_back({call.call, call.call->getCalledFunction(), number});
    }
    contexts_.push_back(std::move(context));
}

Key TopDown::given_by(const GroupCall& call, const Context& caller, llvm::ArrayRef<Objects> objects) const {
    const GroupGraph& callee = groups_[call.group];
    Key given;
    for (size_t i = 0; i < callee.seen_nodes; ++i) {
        given.push_back(callee.nodes[i].is_shared ? 0 : objects[call.nodes[i]]);
    }
    for (const llvm::Argument* size : callee.sizes) {
        const bool is_its = size->getParent() == call.call->getCalledFunction();
        const llvm::Value* value = is_its ? call.call->getArgOperand(size->getArgNo()) : nullptr;
        const auto* constant = llvm::dyn_cast_or_null<llvm::ConstantInt>(value);
        uint64_t bytes = constant != nullptr ? constant->getLimitedValue() : 0;
        for (const auto& [argument, known] : caller.sizes) {
            bytes = argument == value ? known : bytes;
        }
        given.push_back(bytes);
    }
    return given;
}

}  // namespace

Contexts find_contexts(llvm::Module& module, const RangeOf& range_of, uint64_t patience) {
    const GroupGraphs graphs(module, range_of, patience);
    Contexts found;
    found.steps = graphs.steps();
    found.nodes = graphs.nodes();
    if (graphs.is_too_large()) {
        found.is_too_large = true;
        return found;
    }
    for (const GroupGraph& group : graphs.groups()) {
        found.groups.push_back(group.functions);
    }
    found.contexts = TopDown(graphs.groups()).run();
    return found;
}

}  // namespace malloom::compiler
