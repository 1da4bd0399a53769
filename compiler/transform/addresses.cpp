#include "compiler/transform/addresses.h"

#include <llvm/IR/Module.h>

namespace malloom::compiler {

namespace {

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

/// The same of elements that may lie before the first one.
llvm::Value* scale_signed(llvm::IRBuilder<>& code, llvm::Value* bytes, uint64_t from, uint64_t to) {
    if (to % from == 0) {
        return code.CreateNSWMul(bytes, code.getInt64(to / from));
    }
    if (from % to == 0) {
        return code.CreateExactSDiv(bytes, code.getInt64(from / to));
    }
    return code.CreateNSWMul(code.CreateExactSDiv(bytes, code.getInt64(from)), code.getInt64(to));
}

/// Where a part's array begins: the first request has said it before there is a pointer to an object. What
/// the program writes is elsewhere (array_variables.h), so that it may be loaded once for a whole loop.
llvm::Value* begin_of(llvm::IRBuilder<>& code, const SplitObjects& objects, unsigned part) {
    llvm::Value* place = code.CreateConstInBoundsGEP1_64(code.getInt64Ty(), objects.begins, part);
    llvm::LoadInst* begin = code.CreateAlignedLoad(code.getInt64Ty(), place, llvm::Align(8));
    begin->setMetadata(llvm::LLVMContext::MD_alias_scope, objects.begins_scope);
    return begin;
}

llvm::Value* move_in_arrays(llvm::IRBuilder<>& code, const SplitObjects& objects, llvm::Value* pointer,
                            Place from, Place to) {
    const uint64_t from_bytes = objects.element_bytes(from.part), to_bytes = objects.element_bytes(to.part);
    if (from.part == to.part) {
        return further(code, pointer, to.within - from.within);
    }
    llvm::Value *here = begin_of(code, objects, from.part), *there = begin_of(code, objects, to.part);
    if (from_bytes == to_bytes) {
        return further(code, further(code, pointer, code.CreateSub(there, here)), to.within - from.within);
    }
    llvm::Value* number = code.CreatePtrToInt(pointer, code.getInt64Ty());
    llvm::Value* in_array = code.CreateSub(number, code.CreateAdd(here, code.getInt64(from.within)));
    llvm::Value* in_other = scale_signed(code, in_array, from_bytes, to_bytes);
    llvm::Value* element = code.CreateAdd(in_other, there);
    return further(code, further(code, pointer, code.CreateSub(element, number)), to.within);
}

}  // namespace

llvm::Value* further(llvm::IRBuilder<>& code, llvm::Value* pointer, llvm::Value* bytes) {
    return code.CreateGEP(code.getInt8Ty(), pointer, bytes);
}

llvm::Value* further(llvm::IRBuilder<>& code, llvm::Value* pointer, uint64_t bytes) {
    return bytes == 0 ? pointer : further(code, pointer, code.getInt64(bytes));
}

llvm::Value* move(llvm::IRBuilder<>& code, const SplitObjects& objects, llvm::Value* pointer, Place from,
                  Place to) {
    if (objects.is_of_arrays()) {
        return move_in_arrays(code, objects, pointer, from, to);
    }
    const uint64_t here = objects.begin(from.part) + from.within, there = objects.begin(to.part) + to.within;
    const uint64_t from_bytes = objects.element_bytes(from.part), to_bytes = objects.element_bytes(to.part);
    if (from_bytes == to_bytes) {
        return further(code, pointer, there - here);
    }
    // Not by llvm.ptrmask: alias analysis takes what that gives for the place that it was given, and so two
    // ways to one place, of which the other goes by a third place, for two places.
    llvm::Type* number = code.getInt64Ty();
    llvm::Value* in_pool =
        code.CreateAnd(code.CreatePtrToInt(pointer, number), code.getInt64(objects.pool_bytes() - 1));
    llvm::Value* in_array = here == 0 ? in_pool : code.CreateSub(in_pool, code.getInt64(here));
    llvm::Value* in_other = scale(code, in_array, from_bytes, to_bytes);
    return further(code, further(code, pointer, code.CreateSub(in_other, in_pool)), there);
}

}  // namespace malloom::compiler
