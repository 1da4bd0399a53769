// The same of operator new. An object of its own in the archive: a C program has no operators, and a program
// with a C++ library of its own takes them from there.
#include "runtime/compiled/tokens.h"

// The names are the compiler's. NOLINTBEGIN(bugprone-reserved-identifier,readability-identifier-naming)

#define TOKEN_ENTRY MALLOOM_TOKEN_FUNCTION
#include "runtime/front/token_operators.def"
#undef TOKEN_ENTRY

// All forms together: who replaces one of them replaces operator new and delete, or should have.
[[gnu::constructor(101)]] static void find_run_time() {
    using Operator = void* (*)(size_t);
    using Release = void (*)(void*) noexcept;
    const auto* const plain = reinterpret_cast<const void*>(static_cast<Operator>(&operator new));
    const auto* const release = reinterpret_cast<const void*>(static_cast<Release>(&operator delete));
#define TOKEN_ENTRY(result, name, parameters, arguments, unused, served) \
    found_##name = reinterpret_cast<result(*) parameters>(               \
        malloom_served_with_token("__alloc_token_" #name, plain, release));
#include "runtime/front/token_operators.def"
#undef TOKEN_ENTRY
}

// NOLINTEND(bugprone-reserved-identifier,readability-identifier-naming)
