#include "compiler/transform/addresses.h"

namespace malloom::compiler {

namespace {

/// So many bytes further, which may lead out of what LLVM takes for the object.
llvm::Value* further(llvm::IRBuilder<>& code, llvm::Value* pointer, llvm::Value* bytes) {
    return code.CreateGEP(code.getInt8Ty(), pointer, bytes);
}

llvm::Value* further(llvm::IRBuilder<>& code, llvm::Value* pointer, uint64_t bytes) {
    return bytes == 0 ? pointer : further(code, pointer, code.getInt64(bytes));
}

/// Bytes in elements of one length, as bytes in as many of another: exact.
llvm::Value* scale(llvm::IRBuilder<>& code, llvm::Value* bytes, uint64_t from, uint64_t to) {
    if (to % from == 0) {
        return code.CreateMul(bytes, code.getInt64(to / from), "", true, true);
    }
    if (from % to == 0) {
        return code.CreateExactUDiv(bytes, code.getInt64(from / to));
    }
    return code.CreateMul(code.CreateExactUDiv(bytes, code.getInt64(from)), code.getInt64(to), "", true,
                          true);
}

}  // namespace

llvm::Value* move(llvm::IRBuilder<>& code, const SplitLayout& layout, llvm::Value* pointer, Place from,
                  Place to) {
    const uint64_t here = layout.begin(from.part) + from.within, there = layout.begin(to.part) + to.within;
    const uint64_t from_bytes = layout.element_bytes(from.part), to_bytes = layout.element_bytes(to.part);
    if (from_bytes == to_bytes) {
        return further(code, pointer, there - here);
    }
    // Not by llvm.ptrmask: alias analysis takes what that gives for the place that it was given, and so two
    // ways to one place, of which the other goes by a third place, for two places.
    llvm::Type* number = code.getInt64Ty();
    llvm::Value* in_pool =
        code.CreateAnd(code.CreatePtrToInt(pointer, number), code.getInt64(layout.pool_bytes() - 1));
    llvm::Value* in_array = here == 0 ? in_pool : code.CreateSub(in_pool, code.getInt64(here));
    llvm::Value* in_other = scale(code, in_array, from_bytes, to_bytes);
    return further(code, further(code, pointer, code.CreateSub(in_other, in_pool)), there);
}

}  // namespace malloom::compiler
