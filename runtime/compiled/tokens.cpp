// libmalloom_tokens.a: what programs need at link time that clang 22 compiles with -fsanitize=alloc-token.
// Each function goes to the run time where that is in the process, which knows what to do with a token; else
// it is the C library's, or operator new, called with the program's own caller. Here those of the C library.
#include "runtime/compiled/tokens.h"

#include <dlfcn.h>

namespace {

const void* module_of(const void* function) {
    Dl_info info = {};
    return dladdr(function, &info) != 0 ? info.dli_fbase : nullptr;
}

}  // namespace

void* malloom_served_with_token(const char* name, const void* plain, const void* release) {
    void* const found = dlsym(RTLD_DEFAULT, name);
    if (found == nullptr) {
        dlerror();  // which is for whoever asks next
        return nullptr;
    }
    const void* const run_time = module_of(found);
    return module_of(plain) == run_time && module_of(release) == run_time ? found : nullptr;
}

// The names are the compiler's. NOLINTBEGIN(bugprone-reserved-identifier,readability-identifier-naming)

#define TOKEN_ENTRY MALLOOM_TOKEN_FUNCTION
#include "runtime/front/token_entries.def"
#undef TOKEN_ENTRY

// Before those of the program, whose objects would else be nobody's.
[[gnu::constructor(101)]] static void find_run_time() {
    const auto* const release = reinterpret_cast<const void*>(&free);
#define TOKEN_ENTRY(result, name, parameters, arguments, plain, served) \
    found_##name = reinterpret_cast<result(*) parameters>(              \
        malloom_served_with_token("__alloc_token_" #name, reinterpret_cast<const void*>(&name), release));
#include "runtime/front/token_entries.def"
#undef TOKEN_ENTRY
}

// NOLINTEND(bugprone-reserved-identifier,readability-identifier-naming)
