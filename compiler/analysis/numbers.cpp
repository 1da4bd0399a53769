// Addresses that become numbers, and numbers that become addresses: what is calculated with, taken apart,
// or written as text.
#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/Instructions.h>

#include "compiler/analysis/points_to.h"

namespace malloom::compiler {

namespace {

constexpr uint64_t pointer_bytes = 8;

bool names_object(Cell cell) {
    return cell &&
           (cell.set->is_anchored() || cell.set->has(Trait::escaped) || !cell.set->pointers().empty());
}

}  // namespace

/// The parts of a value that was calculated from addresses are that, too, also those that nothing asked for.
void PointsTo::calculated_parts_of(Cell place, uint64_t bytes) {
    for (uint64_t part = 0; part + pointer_bytes <= bytes; part += pointer_bytes) {
        const Cell pointee = sets_.pointee(place.plus(static_cast<int64_t>(part)));
        sets_.add_trait(pointee, Trait::calculated);
    }
}

/// What is calculated with addresses may lead anywhere that addresses are calculated with.
void PointsTo::follow_numbers() {
    for (const auto& [operand, instruction] : numbers_) {
        const Cell cell = cell_of(operand);
        llvm::SmallVector<Cell> carried = {cell};
        if (cell && is_register(*operand->getType())) {
            carried.clear();
            for (const auto& [offset, part] : cell.set->pointers()) {
                carried.push_back(part);
            }
        }
        for (const Cell part : carried) {
            if (names_object(sets_.resolve(part))) {
                expose(part, instruction);
                const Cell result = cell_of(instruction);
                sets_.add_trait(result, Trait::escaped, "is calculated from addresses", instruction);
                sets_.add_trait(result, Trait::calculated);
                takes_apart_ |= !result || is_fraction(*instruction->getType());
                if (result && is_register(*instruction->getType())) {
                    calculated_parts_of(result,
                                        module_.getDataLayout().getTypeStoreSize(instruction->getType()));
                }
            }
        }
    }
}

/// Where parts of addresses may be anywhere, any calculation may put one together.
void PointsTo::follow_gathered() {
    for (llvm::Instruction* instruction : takes_apart_ ? calculations_ : std::vector<llvm::Instruction*>()) {
        sets_.add_trait(cell_of(instruction), Trait::gathered);
    }
}

bool PointsTo::is_gathered(Cell cell) const {
    cell = sets_.resolve(cell);
    return cell && cell.set->has(Trait::gathered);
}

/// Whether such a number is used as an address.
bool PointsTo::uses_gathered() const {
    return llvm::any_of(accesses_, [&](const Access& access) { return is_gathered(access.at); }) ||
           llvm::any_of(
               sets_.all(),
               [](const AliasSet* set) { return set->has(Trait::gathered) && !set->releases.empty(); }) ||
           llvm::any_of(library_accesses_, [&](const LibraryAccess& access) {
               const llvm::Value* given = access.call->getArgOperand(access.argument);
               return given->getType()->isPointerTy() && is_gathered(at(given));
           });
}

/// Whether a number that was calculated from addresses is used as an address, or may be where nobody sees it.
bool PointsTo::uses_calculated() {
    const auto is_calculated = [&](Cell cell) {
        cell = sets_.resolve(cell);
        return cell && cell.set->has(Trait::calculated);
    };
    for (const AliasSet* set : sets_.all()) {
        const bool leads_there =
            set->has(Trait::escaped) && !set->has(Trait::calculated) &&
            llvm::any_of(set->pointers(), [&](const auto& pointer) { return is_calculated(pointer.second); });
        if (leads_there || (set->has(Trait::calculated) && !set->releases.empty())) {
            return true;
        }
    }
    return llvm::any_of(accesses_, [&](const Access& access) { return is_calculated(access.at); }) ||
           llvm::any_of(library_accesses_,
                        [&](const LibraryAccess& access) {
                            llvm::Value* given = access.call->getArgOperand(access.argument);
                            return given->getType()->isPointerTy() && is_calculated(cell_of(given));
                        }) ||
           llvm::any_of(unseen_, [&](llvm::Value* value) { return is_calculated(cell_of(value)); });
}

/// An address that was calculated may lead to all objects whose addresses have been calculated with: what is
/// stored there by the one is found by the other, and they may be released by it.
void PointsTo::follow_exposed() {
    const auto is_exposed = [](const AliasSet* set) { return set->has(Trait::exposed); };
    const bool gathers = llvm::any_of(sets_.all(), is_exposed) && uses_gathered();
    if (!gathers && !uses_calculated()) {
        return;
    }
    for (AliasSet* set : sets_.all()) {
        if (is_exposed(set)) {
            sets_.add_trait({set, 0}, Trait::escaped, "a calculated address may lead to it");
        }
        if (gathers && set->has(Trait::gathered)) {
            sets_.add_trait({set, 0}, Trait::escaped, "is calculated from addresses");
        }
    }
}

}  // namespace malloom::compiler
