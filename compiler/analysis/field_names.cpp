#include "compiler/analysis/field_names.h"

#include <llvm/BinaryFormat/Dwarf.h>
#include <llvm/IR/DebugProgramInstruction.h>
#include <llvm/IR/InstIterator.h>

#include <algorithm>

namespace malloom::compiler {

namespace {

bool is_address_type(const llvm::DIType& type) {
    return type.getTag() == llvm::dwarf::DW_TAG_pointer_type ||
           type.getTag() == llvm::dwarf::DW_TAG_reference_type ||
           type.getTag() == llvm::dwarf::DW_TAG_rvalue_reference_type;
}

/// Puts the innermost members that have a byte between the two into a text.
void add_members(const llvm::DICompositeType& structure, uint64_t begin, uint64_t end,
                 const std::string& prefix, std::string& text) {
    for (const llvm::DIDerivedType* member : data_members(structure)) {
        // Of a base class only the type says how long it is.
        const uint64_t bits = std::max(member->getSizeInBits(), bytes_of(member->getBaseType()) * 8);
        const bool is_bits = member->isBitField();
        const uint64_t from = member->getOffsetInBits() / 8,
                       to = (member->getOffsetInBits() + (is_bits ? member->getSizeInBits() : bits) + 7) / 8;
        if (end <= from || to <= begin) {
            continue;
        }
        const bool has_name = !member->getName().empty();
        const std::string name = prefix + member->getName().str();
        if (const llvm::DICompositeType* inner = as_structure(member->getBaseType())) {
            add_members(*inner, begin > from ? begin - from : 0, end - from, has_name ? name + "." : prefix,
                        text);
        } else {
            text += (text.empty() ? "" : "+") + name;
        }
    }
}

}  // namespace

llvm::DIType* plain_type(llvm::DIType* type) {
    auto* derived = llvm::dyn_cast_or_null<llvm::DIDerivedType>(type);
    while (derived != nullptr && (derived->getTag() == llvm::dwarf::DW_TAG_typedef ||
                                  derived->getTag() == llvm::dwarf::DW_TAG_const_type ||
                                  derived->getTag() == llvm::dwarf::DW_TAG_volatile_type ||
                                  derived->getTag() == llvm::dwarf::DW_TAG_restrict_type ||
                                  derived->getTag() == llvm::dwarf::DW_TAG_atomic_type)) {
        type = derived->getBaseType();
        derived = llvm::dyn_cast_or_null<llvm::DIDerivedType>(type);
    }
    return type;
}

llvm::DICompositeType* as_structure(llvm::DIType* type) {
    auto* structure = llvm::dyn_cast_or_null<llvm::DICompositeType>(plain_type(type));
    const bool is_one = structure != nullptr && (structure->getTag() == llvm::dwarf::DW_TAG_structure_type ||
                                                 structure->getTag() == llvm::dwarf::DW_TAG_class_type ||
                                                 structure->getTag() == llvm::dwarf::DW_TAG_union_type);
    return is_one ? structure : nullptr;
}

std::vector<llvm::DIDerivedType*> data_members(const llvm::DICompositeType& structure) {
    std::vector<llvm::DIDerivedType*> found;
    for (llvm::DINode* element : structure.getElements()) {
        auto* member = llvm::dyn_cast_or_null<llvm::DIDerivedType>(element);
        const bool is_base =
            member != nullptr && member->getTag() == llvm::dwarf::DW_TAG_inheritance && !member->isVirtual();
        const bool is_member =
            member != nullptr && member->getTag() == llvm::dwarf::DW_TAG_member && !member->isStaticMember();
        if (is_base || is_member) {
            found.push_back(member);
        }
    }
    return found;
}

uint64_t bytes_of(llvm::DIType* type) {
    const llvm::DIType* plain = plain_type(type);
    return plain != nullptr ? plain->getSizeInBits() / 8 : 0;
}

std::string field_name(const llvm::DICompositeType* structure, uint64_t offset, uint64_t bytes) {
    std::string text;
    if (structure != nullptr) {
        add_members(*structure, offset, offset + bytes, "", text);
    }
    return text.empty() ? std::to_string(offset) + "+" + std::to_string(bytes) : text;
}

std::string written_name(const llvm::DICompositeType& structure) {
    const bool is_plain = structure.getIdentifier().empty();  // as in C
    const char* word = !is_plain                                                  ? ""
                       : structure.getTag() == llvm::dwarf::DW_TAG_union_type     ? "union "
                       : structure.getTag() == llvm::dwarf::DW_TAG_structure_type ? "struct "
                                                                                  : "";
    return structure.getName().empty() ? "" : word + structure.getName().str();
}

StructureNames::StructureNames(const PointsTo& points_to) : points_to_(points_to) {
    for (const llvm::Function& function : points_to.module()) {
        take_locals(function);
    }
    for (const llvm::GlobalVariable& variable : points_to.module().globals()) {
        take_global(variable);
    }
}

const llvm::DICompositeType* StructureNames::of(const AliasSet& set, uint64_t object_bytes) const {
    const auto found = structures_.find(&set);
    if (found == structures_.end()) {
        return nullptr;
    }
    for (const llvm::DICompositeType* structure : found->second) {
        if (structure->getSizeInBits() / 8 == object_bytes) {
            return structure;
        }
    }
    return nullptr;
}

/// A variable of the type leads to the cell.
void StructureNames::take(llvm::DIType* type, Cell cell) {
    const auto* pointer = llvm::dyn_cast_or_null<llvm::DIDerivedType>(plain_type(type));
    if (!cell || cell.offset != 0 || pointer == nullptr || !is_address_type(*pointer)) {
        return;
    }
    const llvm::DICompositeType* structure = as_structure(pointer->getBaseType());
    if (structure != nullptr && !structure->getName().empty() &&
        !llvm::is_contained(structures_[cell.set], structure)) {
        structures_[cell.set].push_back(structure);
    }
}

void StructureNames::take_locals(const llvm::Function& function) {
    for (const llvm::Instruction& instruction : llvm::instructions(function)) {
        for (llvm::DbgVariableRecord& record : llvm::filterDbgVars(instruction.getDbgRecordRange())) {
            const llvm::Value* value = record.getVariableLocationOp(0);
            if (!record.isAddressOfVariable() && value != nullptr && value->getType()->isPointerTy() &&
                record.getExpression()->getNumElements() == 0) {
                take(record.getVariable()->getType(), points_to_.at(value));
            }
        }
    }
}

void StructureNames::take_global(const llvm::GlobalVariable& variable) {
    llvm::SmallVector<llvm::DIGlobalVariableExpression*, 1> descriptions;
    variable.getDebugInfo(descriptions);
    const Cell cell = points_to_.at(&variable);
    if (descriptions.empty() || !cell) {
        return;
    }
    const auto pointer = cell.set->pointers().find(cell.set->normal(cell.offset));
    if (pointer != cell.set->pointers().end()) {
        take(descriptions.front()->getVariable()->getType(), points_to_.sets().resolve(pointer->second));
    }
}

}  // namespace malloom::compiler
