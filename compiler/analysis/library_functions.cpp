#include "compiler/analysis/library_functions.h"

#include <llvm/ADT/StringMap.h>

namespace malloom::compiler {

namespace {

const llvm::StringMap<LibraryFunction>& known_functions() {
    static const llvm::StringMap<LibraryFunction> known = {
#define LIBRARY_FUNCTION(name, result, arguments) {#name, {Result::result, arguments}},
#include "compiler/analysis/library_functions.def"
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

}  // namespace

std::optional<LibraryFunction> library_function(llvm::StringRef name) {
    const auto found = known_functions().find(name);
    return found == known_functions().end() ? std::nullopt : std::optional(found->second);
}

std::optional<HeapCall> heap_call(llvm::StringRef name) {
    // The Itanium ABI's: operator new and new[], with all that may follow the size.
    if (name.starts_with("_Znwm") || name.starts_with("_Znam")) {
        return HeapCall::new_object;
    }
    if (name.starts_with("_ZdlPv") || name.starts_with("_ZdaPv")) {
        return HeapCall::delete_object;
    }
    const auto found = known_heap_calls().find(name);
    return found == known_heap_calls().end() ? std::nullopt : std::optional(found->second);
}

}  // namespace malloom::compiler
