// make_synthetic_profile PATH REQUESTS ACCESSES [THREADS [CONTEXTS]]: a profile of that size, for
// measurements of scale.
#include <cstdio>
#include <cstdlib>

#include "src/native/synthetic/profile.h"

int main(int count, char** arguments) {
    if (count < 4) {
        fprintf(stderr, "usage: make_synthetic_profile PATH REQUESTS ACCESSES [THREADS [CONTEXTS]]\n");
        return 2;
    }
    malloom::native::SyntheticShape shape;
    shape.requests = strtoull(arguments[2], nullptr, 10);
    shape.accesses = strtoull(arguments[3], nullptr, 10);
    if (count > 4) shape.threads = static_cast<uint32_t>(strtoul(arguments[4], nullptr, 10));
    if (count > 5) shape.contexts = static_cast<uint32_t>(strtoul(arguments[5], nullptr, 10));
    if (shape.requests == 0 || shape.threads == 0 || shape.contexts == 0) return 2;
    if (malloom::native::write_synthetic_profile(shape, arguments[1])) return 0;
    perror(arguments[1]);
    return 1;
}
