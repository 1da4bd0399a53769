#include "compiler/analysis/library_functions.h"

#include <llvm/ADT/StringMap.h>
#include <llvm/ADT/StringSwitch.h>

namespace malloom::compiler {

namespace {

const llvm::StringMap<LibraryFunction>& known_functions() {
    static const llvm::StringMap<LibraryFunction> known = {
#define LIBRARY_FUNCTION(name, result, arguments) {#name, {Result::result, arguments}},
#include "compiler/analysis/cpp_library_functions.def"
#include "compiler/analysis/library_functions.def"
#include "compiler/analysis/system_library_functions.def"
#undef LIBRARY_FUNCTION
    };
    return known;
}

const llvm::StringMap<HeapCall>& known_heap_calls() {
    static const llvm::StringMap<HeapCall> known = {
        {"malloc", HeapCall::malloc},
        {"calloc", HeapCall::calloc},
        {"realloc", HeapCall::realloc},
        {"free", HeapCall::free},
        {"strdup", HeapCall::duplicate},
        {"strndup", HeapCall::duplicate},
        {"aligned_alloc", HeapCall::aligned},
        {"memalign", HeapCall::aligned},
        {"valloc", HeapCall::page},
        {"pvalloc", HeapCall::page},
        {"posix_memalign", HeapCall::into_pointer},
    };
    return known;
}

/// Operators new and delete, also of arrays, by the Itanium ABI's names. A program's own operators, with
/// whatever else behind the size or the pointer, are functions as others.
std::optional<HeapCall> operator_call(llvm::StringRef name) {
    if (name.consume_front("_Znwm") || name.consume_front("_Znam")) {
        return llvm::StringSwitch<std::optional<HeapCall>>(name)
            .Case("", HeapCall::new_object)
            .Case("RKSt9nothrow_t", HeapCall::new_or_null)
            .Cases("St11align_val_t", "St11align_val_tRKSt9nothrow_t", HeapCall::new_aligned)
            .Default(std::nullopt);
    }
    if (name.consume_front("_ZdlPv") || name.consume_front("_ZdaPv")) {
        return llvm::StringSwitch<std::optional<HeapCall>>(name)
            .Cases("", "m", "RKSt9nothrow_t", HeapCall::delete_object)
            .Cases("St11align_val_t", "mSt11align_val_t", "St11align_val_tRKSt9nothrow_t",
                   HeapCall::delete_aligned)
            .Default(std::nullopt);
    }
    return std::nullopt;
}

}  // namespace

std::optional<LibraryFunction> library_function(llvm::StringRef name) {
    const auto found = known_functions().find(name);
    return found == known_functions().end() ? std::nullopt : std::optional(found->second);
}

bool is_operator(llvm::StringRef name) {
    return operator_call(name).has_value();
}

std::optional<HeapCall> heap_call(llvm::StringRef name) {
    if (const std::optional<HeapCall> call = operator_call(name)) {
        return call;
    }
    const auto found = known_heap_calls().find(name);
    return found == known_heap_calls().end() ? std::nullopt : std::optional(found->second);
}

}  // namespace malloom::compiler
