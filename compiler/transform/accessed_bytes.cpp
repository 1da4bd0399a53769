#include "compiler/transform/accessed_bytes.h"

#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/Support/ErrorHandling.h>

namespace malloom::compiler {

unsigned address_operand(const llvm::Instruction& instruction) {
    return llvm::isa<llvm::StoreInst>(instruction) ? 1 : 0;
}

uint64_t bytes_accessed(const llvm::Instruction& instruction, const llvm::DataLayout& layout) {
    if (const auto* intrinsic = llvm::dyn_cast<llvm::MemIntrinsic>(&instruction)) {
        const auto* length = llvm::dyn_cast<llvm::ConstantInt>(intrinsic->getLength());
        if (length == nullptr) {
            llvm::report_fatal_error("malloom: bytes that nobody knows were to be divided into fields");
        }
        return length->getZExtValue();
    }
    const llvm::Type* type = instruction.getType();
    if (const auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction)) {
        type = store->getValueOperand()->getType();
    } else if (const auto* exchange = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(&instruction)) {
        type = exchange->getNewValOperand()->getType();
    }
    return layout.getTypeStoreSize(const_cast<llvm::Type*>(type)).getKnownMinValue();
}

void lower_alignment(llvm::Instruction& instruction, llvm::Align alignment) {
    if (auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction)) {
        load->setAlignment(std::min(load->getAlign(), alignment));
    } else if (auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction)) {
        store->setAlignment(std::min(store->getAlign(), alignment));
    }
}

}  // namespace malloom::compiler
