// libmalloom_tokens.a: what programs need at link time that clang 22 compiles with -fsanitize=alloc-token.
// Each function goes to the run time where that is in the process, which knows what to do with a token; else
// it is the C library's, or operator new, called with the program's own caller. A program, or a shared
// library, has these functions for itself.
#include "runtime/compiled/tokens.h"

#include <dlfcn.h>
#include <malloc.h>
#include <stdlib.h>

// Who has no C++ library asks for none.
[[gnu::weak]] void* operator new(size_t);
[[gnu::weak]] void* operator new[](size_t);
[[gnu::weak]] void* operator new(size_t, const std::nothrow_t&) noexcept;
[[gnu::weak]] void* operator new[](size_t, const std::nothrow_t&) noexcept;
[[gnu::weak]] void* operator new(size_t, std::align_val_t);
[[gnu::weak]] void* operator new[](size_t, std::align_val_t);
[[gnu::weak]] void* operator new(size_t, std::align_val_t, const std::nothrow_t&) noexcept;
[[gnu::weak]] void* operator new[](size_t, std::align_val_t, const std::nothrow_t&) noexcept;

// The names are the compiler's. NOLINTBEGIN(bugprone-reserved-identifier,readability-identifier-naming)

// The run time's; null without it, and until constructors run.
#define TOKEN_ENTRY(result, name, parameters, arguments, plain, served) \
    static result(*found_##name) parameters;
#include "runtime/front/token_entries.def"
#undef TOKEN_ENTRY

#define TOKEN_ENTRY(result, name, parameters, arguments, plain, served)  \
    MALLOOM_FOR_PROGRAM result __alloc_token_##name parameters {         \
        return found_##name != nullptr ? found_##name arguments : plain; \
    }
#include "runtime/front/token_entries.def"
#undef TOKEN_ENTRY

// NOLINTEND(bugprone-reserved-identifier,readability-identifier-naming)

// Before those of the program, whose objects would else be nobody's.
[[gnu::constructor(101)]] static void find_run_time() {
    if (dlsym(RTLD_DEFAULT, "__alloc_token_malloc") == nullptr) {
        return;
    }
#define TOKEN_ENTRY(result, name, parameters, arguments, plain, served) \
    found_##name = reinterpret_cast<result(*) parameters>(dlsym(RTLD_DEFAULT, "__alloc_token_" #name));
#include "runtime/front/token_entries.def"
#undef TOKEN_ENTRY
}
