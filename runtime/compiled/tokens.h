// What libmalloom_tokens.a offers a program: the functions of runtime/front/token_entries.def and
// token_operators.def, by the names that the compiler calls.
#pragma once

#include <malloc.h>
#include <stddef.h>
#include <stdlib.h>

#include <new>

/// Nobody else's, as each program and library has them for itself.
#define MALLOOM_FOR_PROGRAM extern "C" [[gnu::visibility("hidden")]]

// The names are the compiler's. NOLINTBEGIN(bugprone-reserved-identifier,readability-identifier-naming)
#define TOKEN_ENTRY(result, name, parameters, arguments, plain, served) \
    MALLOOM_FOR_PROGRAM result __alloc_token_##name parameters;
#include "runtime/front/token_entries.def"
#include "runtime/front/token_operators.def"
#undef TOKEN_ENTRY
// NOLINTEND(bugprone-reserved-identifier,readability-identifier-naming)

/// The run time's function of this name, by which objects are requested that `release` is to free; null where
/// the run time is not in the process, or does not serve `plain` or `release` here: the program, or somebody
/// before the run time, has them for himself, and what one made the other could not free. Both are addresses
/// as the caller's module calls them.
MALLOOM_FOR_PROGRAM void* malloom_served_with_token(const char* name, const void* plain, const void* release);

/// Defines one of these functions, as a TOKEN_ENTRY: the run time's, where constructors found one, else what
/// serves the same without a token.
#define MALLOOM_TOKEN_FUNCTION(result, name, parameters, arguments, plain, served) \
    static result(*found_##name) parameters;                                       \
    MALLOOM_FOR_PROGRAM result __alloc_token_##name parameters {                   \
        return found_##name != nullptr ? found_##name arguments : plain;           \
    }
