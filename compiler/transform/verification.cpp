#include "compiler/transform/verification.h"

#include <llvm/IR/Module.h>

#include "compiler/transform/accessed_bytes.h"
#include "compiler/transform/targets.h"

namespace malloom::compiler {

namespace {

void check_by(llvm::IRBuilder<>& code, const char* name, llvm::ArrayRef<llvm::Value*> arguments) {
    llvm::SmallVector<llvm::Type*, 5> types;
    for (const llvm::Value* argument : arguments) {
        types.push_back(argument->getType());
    }
    auto* type = llvm::FunctionType::get(code.getVoidTy(), types, false);
    code.CreateCall(code.GetInsertBlock()->getModule()->getOrInsertFunction(name, type), arguments);
}

/// In the array of a field, or between the first one's beginning and the last one's end.
void check_in_part(llvm::IRBuilder<>& code, llvm::Value* address, llvm::Value* bytes,
                   const SplitLayout& layout, std::optional<uint64_t> offset) {
    const unsigned first = offset ? layout.place_of(*offset).part : 0;
    const unsigned last = offset ? first : layout.parts() - 1;
    const uint64_t begin = layout.begin(first), end = layout.end(last);
    check_by(code, "malloom_verify_part",
             {address, bytes, code.getInt64(layout.pool_bytes()), code.getInt64(begin), code.getInt64(end)});
}

}  // namespace

void verify_access(llvm::Instruction& instruction, unsigned operand, const Target* target,
                   std::optional<uint64_t> offset) {
    llvm::Value* address = instruction.getOperand(operand);
    llvm::IRBuilder<> code(&instruction);
    llvm::Value* bytes = code.getInt64(bytes_accessed(instruction, instruction.getModule()->getDataLayout()));
    if (target == nullptr) {
        check_by(code, "malloom_verify_outside", {address, bytes});
    } else if (llvm::isa<llvm::AllocaInst>(address)) {
        return;  // an access to several fields has become one to their copy
    } else if (target->is_of_arrays()) {
        check_by(code, "malloom_check_array", {target->layout->descriptor, address, bytes});
    } else if (target->is_all_of_pools) {
        const PoolNumbers pools = target->numbers();
        check_by(code, "malloom_verify_inside",
                 {address, bytes, code.getInt32(pools.first), code.getInt32(pools.count)});
        if (target->layout != nullptr) {
            check_in_part(code, address, bytes, *target->layout, offset);
        }
    }
}

}  // namespace malloom::compiler
