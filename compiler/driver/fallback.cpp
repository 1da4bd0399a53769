#include "compiler/driver/fallback.h"

#include "compiler/driver/chosen.h"
#include "compiler/driver/failure.h"

namespace malloom::driver {

namespace {

constexpr std::string_view mimalloc = "mimalloc";

// Why a program cannot have mimalloc as its malloc, or empty. A relocatable object is no program yet.
std::string_view obstacle(const Invocation& invocation) {
    if (invocation.is_shared) return "a shared library has the malloc of the program that loads it";
    if (invocation.is_foreign) return "it is there for this machine's programs alone";
    return invocation.lacks_c_library ? "the program is linked without the C library" : "";
}

bool links_program(const Invocation& invocation) {
    return invocation.goal == Goal::program && invocation.has_inputs() && !invocation.is_relocatable;
}

}  // namespace

bool links_mimalloc(const Invocation& invocation, const OwnOptions& own) {
    if (!links_program(invocation)) return false;
    const std::string_view why_not = obstacle(invocation);
    if (own.fallback.empty()) {
        return why_not.empty() && invocation.sanitizers.empty() && chosen_by(own.choice).fallback == mimalloc;
    }
    if (own.fallback != mimalloc) return false;
    if (!invocation.sanitizers.empty()) {
        fail(bad_use, "-fmalloom-fallback=mimalloc does not go with a sanitizer, which watches malloc itself",
             "leave out one of the two");
    }
    if (!why_not.empty()) warn("mimalloc is not linked in, as " + std::string(why_not));
    return why_not.empty();
}

}  // namespace malloom::driver
