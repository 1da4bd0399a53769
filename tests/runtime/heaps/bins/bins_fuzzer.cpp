// Any bytes are calls of a bin heap, which must stay whole.
#include <stdio.h>
#include <stdlib.h>

#include "tests/runtime/heaps/bins/operations.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size) {
    using namespace malloom::tests;
    const std::string wrong = OperatedHeap(Choices({bytes, size})).run();
    if (!wrong.empty()) {
        fprintf(stderr, "it does not hold that %s\n", wrong.c_str());
        abort();
    }
    return 0;
}
