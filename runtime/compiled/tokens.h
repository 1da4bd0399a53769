// What libmalloom_tokens.a offers a program: the functions of runtime/front/token_entries.def, by the names
// that the compiler calls.
#pragma once

#include <stddef.h>

#include <new>

/// Nobody else's, as each program and library has them for itself.
#define MALLOOM_FOR_PROGRAM extern "C" [[gnu::visibility("hidden")]]

#define TOKEN_ENTRY(result, name, parameters, arguments, plain, served) \
    MALLOOM_FOR_PROGRAM result __alloc_token_##name parameters;  // NOLINT: the compiler's name
#include "runtime/front/token_entries.def"
#undef TOKEN_ENTRY
