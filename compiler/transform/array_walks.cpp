#include "compiler/transform/array_walks.h"

namespace malloom::compiler {

namespace {

bool is_zero(const llvm::Value* number) {
    const auto* constant = llvm::dyn_cast<llvm::ConstantInt>(number);
    return constant != nullptr && constant->isZero();
}

llvm::Value* sum(llvm::IRBuilder<>& code, llvm::Value* one, llvm::Value* other) {
    return is_zero(one) ? other : is_zero(other) ? one : code.CreateAdd(one, other);
}

/// How many structures so many times the index in bytes are: exact, as the analysis has shown.
llvm::Value* structures_of(llvm::IRBuilder<>& code, llvm::Value* index, const llvm::APInt& scale,
                           int64_t structure_bytes) {
    const int64_t factor = scale.getSExtValue();
    llvm::Value* wide = code.CreateSExtOrTrunc(index, code.getInt64Ty());
    if (factor % structure_bytes == 0) {
        return code.CreateMul(wide, llvm::ConstantInt::getSigned(wide->getType(), factor / structure_bytes));
    }
    llvm::Value* bytes = code.CreateMul(wide, llvm::ConstantInt::getSigned(wide->getType(), factor));
    return code.CreateExactSDiv(bytes, llvm::ConstantInt::getSigned(wide->getType(), structure_bytes));
}

}  // namespace

llvm::Value* ArrayWalks::walk(llvm::IRBuilder<>& code, const SplitObjects& objects, llvm::Value* pointer,
                              int64_t offset, const Steps& steps) {
    const int64_t target = offset + steps.bytes;
    llvm::Value* structures =
        code.getInt64(static_cast<uint64_t>(objects.structure_of(target) - objects.structure_of(offset)));
    for (const auto& [index, scale] : steps.variable) {
        const auto bytes = static_cast<int64_t>(objects.structure_bytes());
        structures = sum(code, structures, structures_of(code, index, scale, bytes));
    }
    return walk(code, objects, pointer, objects.place_of_pointer(objects.within(offset)),
                objects.place_of_pointer(objects.within(target)), structures);
}

llvm::Value* ArrayWalks::move(llvm::IRBuilder<>& code, const SplitObjects& objects, llvm::Value* pointer,
                              Place from, Place to) {
    return walk(code, objects, pointer, from, to, code.getInt64(0));
}

llvm::Value* ArrayWalks::walk(llvm::IRBuilder<>& code, const SplitObjects& objects, llvm::Value* pointer,
                              Place from, Place to, llvm::Value* structures) {
    Way way = {pointer, from, structures};
    if (const auto known = ways_.find(pointer); known != ways_.end()) {
        way = known->second;
        way.structures = sum(code, way.structures, structures);
    }
    // Elements of one length are at one distance from each other, wherever the pointer came from.
    const bool is_near = objects.element_bytes(from.part) == objects.element_bytes(to.part);
    const Way chosen = is_near ? Way{pointer, from, structures} : way;
    llvm::Value* found = malloom::compiler::move(code, objects, chosen.root, chosen.place, to);
    if (!is_zero(chosen.structures)) {
        const uint64_t bytes = objects.element_bytes(to.part);
        found = further(code, found, code.CreateMul(chosen.structures, code.getInt64(bytes)));
    }
    if (!is_zero(way.structures) && llvm::isa<llvm::Instruction>(found)) {
        ways_[found] = way;
    }
    return found;
}

}  // namespace malloom::compiler
