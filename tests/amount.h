// How much a test that repeats something does.
#pragma once

#include <stdlib.h>

namespace malloom::tests {

/// Whether a test does all that it can: not where a sanitizer makes each step many times dearer, unless
/// MALLOOM_SOAK is set, as `make soak` does.
inline bool does_all() {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    static const bool is_soak = getenv("MALLOOM_SOAK") != nullptr;
    return is_soak;
#else
    return true;
#endif
}

/// `full`, or a sixteenth of it where not all is done.
template <class Number>
Number amount(Number full) {
    return does_all() ? full : (full + 15) / 16;
}

/// Of a search: some in `make test`, twenty times as many in `make soak`.
inline unsigned search_rounds(unsigned some) {
    return getenv("MALLOOM_SOAK") != nullptr ? 20 * some : some;
}

}  // namespace malloom::tests
