// What is known of functions that are not part of the program: library_functions.def and the allocators.
#pragma once

#include <llvm/ADT/StringRef.h>

#include <optional>

namespace malloom::compiler {

enum class Result { none, number, first, within, second, foreign, buffer, made, kept };

struct LibraryFunction {
    Result result;
    llvm::StringRef arguments;  ///< a letter each, see library_functions.def

    /// What becomes of the argument with that number.
    char argument(unsigned number) const {
        return arguments[number < arguments.size() ? number : arguments.size() - 1];
    }
};

std::optional<LibraryFunction> library_function(llvm::StringRef name);

/// How a call takes part in the life of heap objects.
enum class HeapCall {
    malloc,         ///< malloc(bytes)
    calloc,         ///< calloc(count, bytes)
    realloc,        ///< realloc(object, bytes)
    free,           ///< free(object)
    duplicate,      ///< strdup(text), strndup(text, most)
    aligned,        ///< aligned_alloc(alignment, bytes), memalign
    page,           ///< valloc(bytes), pvalloc
    into_pointer,   ///< posix_memalign(&object, alignment, bytes)
    new_object,     ///< operator new(bytes), which throws
    new_or_null,    ///< operator new(bytes, std::nothrow)
    new_aligned,    ///< operator new(bytes, alignment, ...)
    delete_object,  ///< operator delete(object, ...)
    delete_aligned  ///< operator delete(object, ..., alignment, ...)
};

/// Whether the call gives an object back, and its argument is that.
inline bool releases(HeapCall call) {
    return call == HeapCall::free || call == HeapCall::delete_object || call == HeapCall::delete_aligned;
}

std::optional<HeapCall> heap_call(llvm::StringRef name);
/// Whether it is a form of operator new or delete that programs may replace.
bool is_operator(llvm::StringRef name);

}  // namespace malloom::compiler
