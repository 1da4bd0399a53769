#include "compiler/transform/chosen_offsets.h"

#include <llvm/IR/DataLayout.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>

namespace malloom::compiler {

namespace {

struct Place {
    llvm::Value* base;
    llvm::APInt offset;
};

Place place_of(llvm::Value& address, const llvm::DataLayout& layout) {
    Place place = {&address, llvm::APInt(layout.getIndexTypeSizeInBits(address.getType()), 0)};
    place.base = address.stripAndAccumulateConstantOffsets(layout, place.offset, /*AllowNonInbounds=*/false);
    return place;
}

bool choose_offset(llvm::SelectInst& choice, const llvm::DataLayout& layout) {
    const Place one = place_of(*choice.getTrueValue(), layout);
    const Place other = place_of(*choice.getFalseValue(), layout);
    if (one.base != other.base || one.base->getType() != choice.getType() || one.offset == other.offset) {
        return false;
    }
    llvm::IRBuilder<> builder(&choice);
    llvm::Value* offset = builder.CreateSelect(choice.getCondition(), builder.getInt(one.offset),
                                               builder.getInt(other.offset), "", &choice);
    llvm::Value* address = builder.CreateInBoundsGEP(builder.getInt8Ty(), one.base, offset);
    if (llvm::isa<llvm::Instruction>(address)) {
        address->takeName(&choice);  // a constant condition may leave a global, which has its own
    }
    choice.replaceAllUsesWith(address);
    choice.eraseFromParent();
    return true;
}

}  // namespace

bool choose_offsets(llvm::Module& module) {
    bool has_changed = false;
    for (llvm::Function& function : module) {
        for (llvm::Instruction& instruction : llvm::make_early_inc_range(llvm::instructions(function))) {
            auto* choice = llvm::dyn_cast<llvm::SelectInst>(&instruction);
            if (choice != nullptr && choice->getType()->isPointerTy()) {
                has_changed |= choose_offset(*choice, module.getDataLayout());
            }
        }
    }
    return has_changed;
}

}  // namespace malloom::compiler
