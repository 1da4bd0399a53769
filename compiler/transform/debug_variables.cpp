#include "compiler/transform/debug_variables.h"

#include <llvm/ADT/MapVector.h>
#include <llvm/ADT/SetVector.h>
#include <llvm/BinaryFormat/Dwarf.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/DebugProgramInstruction.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>

#include "compiler/transform/debug_types.h"

namespace malloom::compiler {

namespace {

namespace dwarf = llvm::dwarf;

SplitLayouts layouts_of(const std::vector<Decision>& decisions) {
    SplitLayouts layouts;
    for (const Decision& decision : decisions) {
        if (decision.layout) {
            layouts.try_emplace(decision.proof->set, *decision.layout);
        }
    }
    return layouts;
}

/// Whether nothing is done with what an expression begins with.
bool is_plain(const llvm::DIExpression& expression) {
    return llvm::all_of(expression.expr_ops(), [](const auto& step) {
        return step.getOp() == dwarf::DW_OP_LLVM_fragment || step.getOp() == dwarf::DW_OP_stack_value;
    });
}

/// How many bytes further the first steps of an expression lead; the others go to `rest`.
int64_t leading_bytes(const llvm::DIExpression& expression, llvm::SmallVectorImpl<uint64_t>& rest) {
    int64_t bytes = 0;
    auto step = expression.expr_op_begin();
    const auto end = expression.expr_op_end();
    while (step != end) {
        if (step->getOp() == dwarf::DW_OP_plus_uconst) {
            bytes += static_cast<int64_t>(step->getArg(0));
        } else if (step->getOp() == dwarf::DW_OP_constu && step.getNext() != end &&
                   (step.getNext()->getOp() == dwarf::DW_OP_plus ||
                    step.getNext()->getOp() == dwarf::DW_OP_minus)) {
            const auto number = static_cast<int64_t>(step->getArg(0));
            ++step;
            bytes += step->getOp() == dwarf::DW_OP_plus ? number : -number;
        } else {
            break;
        }
        ++step;
    }
    rest.append(step.getBase(), expression.elements_end());
    return bytes;
}

/// Of the variable, what an expression is of, in bytes.
std::pair<int64_t, uint64_t> bytes_described(const llvm::DIExpression& expression) {
    const auto fragment = expression.getFragmentInfo();
    return fragment ? std::pair(static_cast<int64_t>(fragment->OffsetInBits / 8), fragment->SizeInBits / 8)
                    : std::pair(int64_t{0}, DebugPiece::all);
}

/// A variable of a function, wherever the function has become part of others: debuggers know one of all.
struct Local {
    DebugPlaces places;
    std::vector<llvm::DbgVariableRecord*> records;
};

/// A variable, which may lie in several, each of them a part.
struct Global {
    DebugPlaces places;
    std::vector<llvm::DIGlobalVariableExpression*> nodes;
};

class Describer {
  public:
    Describer(llvm::Module& module, const PointsTo& points_to, const std::vector<Decision>& decisions)
        : module_(module),
          points_to_(points_to),
          layouts_(layouts_of(decisions)),
          types_(points_to.sets(), layouts_) {}

    void run();

  private:
    using Locals = llvm::MapVector<llvm::DILocalVariable*, Local>;
    using Globals = llvm::MapVector<llvm::DIGlobalVariable*, Global>;

    Locals locals() const;
    Globals globals() const;
    void describe_locals();
    void describe_result(llvm::Function& function);
    void describe_globals();
    void replace_in_units();
    void keep_replaced(llvm::DISubprogram& function);

    void add_value(DebugPlaces& places, const llvm::Value* value, int64_t begin, int64_t further) const;
    void add_record(DebugPlaces& places, const llvm::DbgVariableRecord& record) const;
    bool is_split(const llvm::Value* value) const;
    void find_byte(llvm::DbgVariableRecord& record) const;
    bool find_byte_behind(llvm::DbgVariableRecord& record, const llvm::Value& pointer) const;

    llvm::Module& module_;
    const PointsTo& points_to_;
    const SplitLayouts layouts_;
    DebugTypes types_;
    llvm::DenseMap<llvm::Metadata*, llvm::Metadata*> replaced_;  ///< variables, and descriptions of globals
};

void Describer::run() {
    if (layouts_.empty()) {
        return;
    }
    describe_locals();
    for (llvm::Function& function : module_) {
        describe_result(function);
    }
    describe_globals();
}

/// A value that is a pointer, or several, makes up the variable from so many bytes on.
void Describer::add_value(DebugPlaces& places, const llvm::Value* value, int64_t begin,
                          int64_t further) const {
    const Cell cell = points_to_.at(value);
    if (cell && is_register(*value->getType())) {
        places.push_back({.at = cell, .begin = begin, .address = cell.offset});
    } else {
        add_pointer(places, cell, begin, further);
    }
}

void Describer::add_record(DebugPlaces& places, const llvm::DbgVariableRecord& record) const {
    const llvm::DIExpression& expression = *record.getExpression();
    const llvm::Value* value = record.getVariableLocationOp(0);
    if (value == nullptr || record.hasArgList()) {
        return;
    }
    const auto [begin, bytes] = bytes_described(expression);
    if (record.isAddressOfVariable()) {
        if (const Cell cell = points_to_.at(value); cell && is_plain(expression)) {
            places.push_back({cell, false, begin, bytes, cell.offset});
        }
        return;
    }
    llvm::SmallVector<uint64_t, 4> rest;
    const int64_t further = leading_bytes(expression, rest);
    if (is_plain(*llvm::DIExpression::get(module_.getContext(), rest))) {
        add_value(places, value, begin, further);
    }
}

Describer::Locals Describer::locals() const {
    Locals locals;
    for (llvm::Function& function : module_) {
        for (llvm::Instruction& instruction : llvm::instructions(function)) {
            for (llvm::DbgVariableRecord& record : llvm::filterDbgVars(instruction.getDbgRecordRange())) {
                Local& local = locals[record.getVariable()];
                add_record(local.places, record);
                local.records.push_back(&record);
                find_byte(record);
            }
        }
    }
    return locals;
}

void Describer::describe_locals() {
    llvm::SetVector<llvm::DISubprogram*> functions;
    for (const auto& [variable, local] : locals()) {
        llvm::DIType* type = types_.at(variable->getType(), local.places);
        if (type == variable->getType()) {
            continue;
        }
        auto* made = llvm::DILocalVariable::get(variable->getContext(), variable->getScope(),
                                                variable->getName(), variable->getFile(), variable->getLine(),
                                                type, variable->getArg(), variable->getFlags(),
                                                variable->getAlignInBits(), variable->getAnnotations());
        for (llvm::DbgVariableRecord* record : local.records) {
            record->setVariable(made);
        }
        replaced_[variable] = made;
        functions.insert(variable->getScope()->getSubprogram());
    }
    for (llvm::DISubprogram* function : functions) {
        keep_replaced(*function);
    }
}

/// The variables that are named although they may have no value.
void Describer::keep_replaced(llvm::DISubprogram& function) {
    if (!function.isDistinct() || !function.getRetainedNodes()) {
        return;
    }
    llvm::SmallVector<llvm::Metadata*, 8> nodes;
    for (llvm::DINode* node : function.getRetainedNodes()) {
        const auto found = replaced_.find(node);
        nodes.push_back(found != replaced_.end() ? found->second : node);
    }
    function.replaceRetainedNodes(llvm::MDTuple::get(module_.getContext(), nodes));
}

void Describer::describe_result(llvm::Function& function) {
    llvm::DISubprogram* description = function.getSubprogram();
    if (description == nullptr || !description->isDistinct() || description->getType() == nullptr ||
        description->getType()->getTypeArray().size() == 0) {
        return;
    }
    DebugPlaces places;
    for (const llvm::BasicBlock& block : function) {
        const auto* leaving = llvm::dyn_cast<llvm::ReturnInst>(block.getTerminator());
        if (leaving != nullptr && leaving->getReturnValue() != nullptr) {
            add_value(places, leaving->getReturnValue(), 0, 0);
        }
    }
    const llvm::DISubroutineType& old = *description->getType();
    llvm::SmallVector<llvm::Metadata*, 8> parts(old.getTypeArray().begin(), old.getTypeArray().end());
    llvm::DIType* result = types_.at(old.getTypeArray()[0], places);
    if (result != parts.front()) {
        parts.front() = result;
        llvm::Metadata* made = llvm::MDTuple::get(module_.getContext(), parts);
        description->replaceType(
            llvm::DISubroutineType::get(module_.getContext(), old.getFlags(), old.getCC(), made));
    }
}

Describer::Globals Describer::globals() const {
    Globals found;
    for (const llvm::GlobalVariable& variable : module_.globals()) {
        llvm::SmallVector<llvm::DIGlobalVariableExpression*, 1> nodes;
        variable.getDebugInfo(nodes);
        for (llvm::DIGlobalVariableExpression* node : nodes) {
            Global& global = found[node->getVariable()];
            const auto [begin, bytes] = bytes_described(*node->getExpression());
            if (const Cell cell = points_to_.at(&variable); cell && is_plain(*node->getExpression())) {
                global.places.push_back({cell, false, begin, bytes, cell.offset});
            }
            global.nodes.push_back(node);
        }
    }
    return found;
}

void Describer::describe_globals() {
    for (const auto& [old, global] : globals()) {
        llvm::DIType* type = types_.at(old->getType(), global.places);
        if (type == old->getType()) {
            continue;
        }
        auto* made = llvm::DIGlobalVariable::getDistinct(
            old->getContext(), old->getScope(), old->getName(), old->getLinkageName(), old->getFile(),
            old->getLine(), type, old->isLocalToUnit(), old->isDefinition(),
            old->getStaticDataMemberDeclaration(), old->getTemplateParams(), old->getAlignInBits(),
            old->getAnnotations());
        for (llvm::DIGlobalVariableExpression* node : global.nodes) {
            replaced_[node] =
                llvm::DIGlobalVariableExpression::get(module_.getContext(), made, node->getExpression());
        }
    }
    replace_in_units();
}

void Describer::replace_in_units() {
    for (llvm::GlobalVariable& variable : module_.globals()) {
        llvm::SmallVector<llvm::DIGlobalVariableExpression*, 1> nodes;
        variable.getDebugInfo(nodes);
        variable.eraseMetadata(llvm::LLVMContext::MD_dbg);
        for (llvm::DIGlobalVariableExpression* node : nodes) {
            const auto found = replaced_.find(node);
            variable.addDebugInfo(found == replaced_.end()
                                      ? node
                                      : llvm::cast<llvm::DIGlobalVariableExpression>(found->second));
        }
    }
    for (llvm::DICompileUnit* unit : module_.debug_compile_units()) {
        llvm::SmallVector<llvm::Metadata*, 16> nodes;
        for (llvm::DIGlobalVariableExpression* node : unit->getGlobalVariables()) {
            const auto found = replaced_.find(node);
            nodes.push_back(found == replaced_.end() ? node : found->second);
        }
        if (!nodes.empty()) {
            unit->replaceGlobalVariables(llvm::MDTuple::get(module_.getContext(), nodes));
        }
    }
}

bool Describer::is_split(const llvm::Value* value) const {
    const Cell cell = value != nullptr ? points_to_.at(value) : Cell{};
    return cell && value->getType()->isPointerTy() && layouts_.contains(cell.set);
}

/// Where a value is so many bytes behind a pointer, or lies there, it will be where these bytes lie; what is
/// calculated with such a pointer otherwise is not known any more.
void Describer::find_byte(llvm::DbgVariableRecord& record) const {
    const bool is_of_split =
        llvm::any_of(record.location_ops(), [&](const llvm::Value* value) { return is_split(value); });
    if (!is_of_split || is_plain(*record.getExpression())) {
        return;
    }
    const bool is_found = !record.hasArgList() && find_byte_behind(record, *record.getVariableLocationOp(0));
    if (!is_found) {
        record.setKillLocation();
    }
}

bool Describer::find_byte_behind(llvm::DbgVariableRecord& record, const llvm::Value& pointer) const {
    const Cell cell = points_to_.at(&pointer);
    llvm::SmallVector<uint64_t, 8> rest;
    const int64_t further = leading_bytes(*record.getExpression(), rest);
    const auto* behind = llvm::DIExpression::get(module_.getContext(), rest);
    const bool is_known = llvm::all_of(behind->expr_ops(), [](const auto& step) {
        return step.getOp() == dwarf::DW_OP_LLVM_fragment || step.getOp() == dwarf::DW_OP_stack_value ||
               step.getOp() == dwarf::DW_OP_deref;
    });
    if (!is_known || cell.set->alternatives(cell.offset).size() != 1) {
        return false;
    }
    const SplitLayout& layout = layouts_.find(cell.set)->second;
    const int64_t offset = layout.within(cell.offset + further);
    const bool is_read = llvm::is_contained(rest, dwarf::DW_OP_deref);
    const bool has_field = offset >= 0 && layout.field_at(static_cast<uint64_t>(offset)) != nullptr;
    const Place from = layout.place_of_pointer(layout.within(cell.offset));
    const Place to = is_read && has_field ? layout.place_of(static_cast<uint64_t>(offset))
                                          : layout.place_of_pointer(offset);
    if (!has_way(layout, from, to) ||
        layout.structure_of(cell.offset) != layout.structure_of(cell.offset + further)) {
        return false;
    }
    llvm::SmallVector<uint64_t, 16> steps = way(layout, from, to);
    steps.append(rest.begin(), rest.end());
    record.setExpression(llvm::DIExpression::get(module_.getContext(), steps));
    return true;
}

}  // namespace

void describe_split(llvm::Module& module, const PointsTo& points_to, const std::vector<Decision>& decisions) {
    Describer(module, points_to, decisions).run();
}

}  // namespace malloom::compiler
