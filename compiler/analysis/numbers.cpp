// Addresses that become numbers, and numbers that become addresses: what is calculated with, taken apart,
// or written as text.
#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/Instructions.h>
#include <llvm/Support/MathExtras.h>

#include <algorithm>

#include "compiler/analysis/points_to.h"

namespace malloom::compiler {

namespace {

/// Whether it is known what it stands for.
bool leads_to_object(const AliasSet& set) {
    return set.has(Trait::heap) || set.has(Trait::stack) || set.has(Trait::global) ||
           set.has(Trait::function) || set.has(Trait::escaped);
}

/// The least alignment of the bytes that an access needs, whatever the address.
uint64_t alignment_of(const Access& access) {
    if (llvm::isa<llvm::LoadInst, llvm::StoreInst>(access.instruction)) {
        return llvm::getLoadStoreAlignment(access.instruction).value();
    }
    if (const auto* exchange = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(access.instruction)) {
        return exchange->getAlign().value();
    }
    const auto* change = llvm::dyn_cast<llvm::AtomicRMWInst>(access.instruction);
    return change != nullptr ? change->getAlign().value() : 1;
}

bool names_object(Cell cell) {
    return cell &&
           (cell.set->is_anchored() || cell.set->has(Trait::escaped) || !cell.set->pointers().empty());
}

}  // namespace

/// A value leads to what has the trait; so do its parts, where it has several, also those that nothing asked
/// for.
void PointsTo::add_trait_of(llvm::Instruction& value, Trait trait) {
    const Cell place = cell_of(&value);
    sets_.add_trait(place, trait);
    if (place && is_register(*value.getType())) {
        const uint64_t bytes = module_.getDataLayout().getTypeStoreSize(value.getType()).getKnownMinValue();
        for (uint64_t part = 0; part + pointer_bytes <= bytes; part += pointer_bytes) {
            sets_.add_trait(sets_.pointee(place.plus(static_cast<int64_t>(part))), trait);
        }
    }
}

/// Whether an object may begin elsewhere than at a multiple of so many bytes, as offsets of the set count
/// them.
static bool begins_beside(const AliasSet& set, uint64_t within) {
    const bool is_declared = set.has(Trait::stack) || set.has(Trait::global);
    return (is_declared && within > pointer_bytes) || llvm::any_of(set.requests, [&](const Request& request) {
               return llvm::mod(request.begin(), static_cast<int64_t>(within)) != 0;
           });
}

/// Cleared bits lead to the beginning of what is so large, and marks may lead to what lies that far behind:
/// only where an address is known to have none of the bits, and nothing can be accessed while it has them, is
/// it the same place.
bool PointsTo::may_lead_elsewhere(const Tag& tag, Cell at, std::optional<Alignments>& alignments) const {
    const uint64_t within = llvm::NextPowerOf2(tag.bits);
    const auto has_bits = [&](int64_t offset) {
        return llvm::mod(offset, static_cast<int64_t>(within)) != 0;
    };
    const Region* region = at.set->region_of(at.offset);
    if (at.set->stride() % within != 0 || (region != nullptr && region->stride % within != 0) ||
        llvm::any_of(at.set->alternatives(at.offset), has_bits)) {
        return true;
    }
    if (tag.clears) {
        return begins_beside(*at.set, within);
    }
    // Once a round, as a program may have many marks.
    if (!alignments) {
        alignments = alignments_of_sets();
    }
    const uint64_t least = tag.bits & (~tag.bits + 1);
    const auto found = alignments->find(at.set);
    return found != alignments->end() && found->second <= least;
}

PointsTo::Alignments PointsTo::alignments_of_sets() const {
    Alignments least;
    for (const Access& access : accesses_) {
        uint64_t& of_set = least.try_emplace(sets_.resolve(access.at).set, UINT64_MAX).first->second;
        of_set = std::min(of_set, alignment_of(access));
    }
    return least;
}

void PointsTo::follow_tags() {
    std::optional<Alignments> alignments;
    for (Tag& tag : tags_) {
        const Cell at = sets_.resolve(cell_of(tag.address));
        if (!tag.is_calculated && at && at.set->is_anchored() && may_lead_elsewhere(tag, at, alignments)) {
            tag.is_calculated = true;
            calculations_.push_back(tag.instruction);
            numbers_.emplace_back(tag.address, tag.instruction);
        }
    }
}

/// How far two addresses are apart, added to the one, is the other, whatever objects they lead to. C does not
/// say what it is for two objects, but programs know.
void PointsTo::follow_differences() {
    for (llvm::BinaryOperator* difference : differences_) {
        if (names_object(cell_of(difference->getOperand(0))) &&
            names_object(cell_of(difference->getOperand(1)))) {
            sets_.add_trait(cell_of(difference), Trait::apart);
        }
    }
    for (const auto& [address, index] : byte_indices_) {
        if (const Cell added = cell_of(index); added && added.set->has(Trait::apart)) {
            add_trait_of(*address, Trait::calculated);
        }
    }
}

/// What a number leads to, or each of its parts where it has several.
llvm::SmallVector<Cell> PointsTo::carried_by(llvm::Value& value) {
    const Cell cell = cell_of(&value);
    if (!cell || !is_register(*value.getType())) {
        return {cell};
    }
    llvm::SmallVector<Cell> parts;
    for (const auto& [offset, part] : cell.set->pointers()) {
        parts.push_back(part);
    }
    return parts;
}

/// What is calculated with addresses may lead anywhere that addresses are calculated with. Of an address that
/// is written as text, parts are where they are not followed.
void PointsTo::follow_numbers() {
    for (const auto& [operand, instruction] : numbers_) {
        for (const Cell part : carried_by(*operand)) {
            if (names_object(sets_.resolve(part))) {
                expose(part, instruction);
                const Cell result = cell_of(instruction);
                sets_.add_trait(result, Trait::escaped, Rule::calculated_from_addresses, instruction);
                add_trait_of(*instruction, Trait::calculated);
                takes_apart_ |= !result || is_fraction(*instruction->getType());
            }
        }
    }
    for (const auto& [value, call] : printed_) {
        for (const Cell part : carried_by(*value)) {
            if (names_object(sets_.resolve(part))) {
                expose(part, call);
                takes_apart_ = true;
            }
        }
    }
}

/// Where parts of addresses may be anywhere, any calculation may put one together; so may what is only made
/// wider or has a constant added, where that is all that its address comes from.
void PointsTo::follow_gathered() {
    if (!takes_apart_) {
        return;
    }
    for (llvm::Instruction* instruction : calculations_) {
        add_trait_of(*instruction, Trait::gathered);
    }
    for (llvm::Instruction* instruction : counts_) {
        if (const Cell cell = cell_of(instruction); cell && !leads_to_object(*cell.set)) {
            sets_.add_trait(cell, Trait::gathered);
        }
    }
}

/// Where a number with the trait is used as an address; null where it may be one where nobody sees it.
/// Nothing where it is neither.
std::optional<const llvm::Instruction*> PointsTo::use_as_address(Trait trait) {
    const auto leads = [&](Cell cell) {
        cell = sets_.resolve(cell);
        return cell && cell.set->has(trait);
    };
    for (const Access& access : accesses_) {
        if (leads(access.at)) {
            return access.instruction;
        }
    }
    for (const LibraryAccess& access : library_accesses_) {
        llvm::Value* given = access.call->getArgOperand(access.argument);
        if (given->getType()->isPointerTy() && leads(cell_of(given))) {
            return access.call;
        }
    }
    for (llvm::CallBase* call : indirect_calls_) {
        if (leads(cell_of(call->getCalledOperand()))) {
            return call;
        }
    }
    for (const AliasSet* set : sets_.all()) {
        const bool leads_there =
            set->has(Trait::escaped) && !set->has(trait) &&
            llvm::any_of(set->pointers(), [&](const auto& pointer) { return leads(pointer.second); });
        if (leads_there || (set->has(trait) && !set->releases.empty())) {
            return leads_there ? nullptr : set->releases.front();
        }
    }
    for (llvm::Value* value : unseen_) {
        if (leads(cell_of(value))) {
            return llvm::dyn_cast<llvm::Instruction>(value);
        }
    }
    return std::nullopt;
}

/// An address that was calculated may lead to all objects whose addresses have been calculated with: what is
/// stored there by the one is found by the other, and they may be released by it.
void PointsTo::follow_exposed() {
    const auto is_exposed = [](const AliasSet* set) { return set->has(Trait::exposed); };
    std::optional<const llvm::Instruction*> gathered, used;
    if (llvm::any_of(sets_.all(), is_exposed)) {
        gathered = use_as_address(Trait::gathered);
    }
    used = gathered ? gathered : use_as_address(Trait::calculated);
    if (!used) {
        return;
    }
    for (AliasSet* set : sets_.all()) {
        if (is_exposed(set)) {
            sets_.add_trait({set, 0}, Trait::escaped, Rule::calculated_address_leads, *used);
        }
        if (gathered && set->has(Trait::gathered)) {
            sets_.add_trait({set, 0}, Trait::escaped, Rule::calculated_from_addresses, *gathered);
        }
    }
}

}  // namespace malloom::compiler
