#include "runtime/compiled/unloading.h"

#include <stdlib.h>

namespace malloom::compiled {

namespace {

// A process that ends calls what atexit was told, of all libraries, and then the libraries' destructors.
// dlclose calls the library's destructors, and the last of those without a priority is the compiler's own,
// which calls what atexit was told of this library.
bool have_destructors_begun = false;
bool are_all_of_one_library = false;

[[gnu::destructor]] void begin_destructors() {
    have_destructors_begun = true;
}

void come_to_handlers() {
    are_all_of_one_library = have_destructors_begun;
}

[[gnu::constructor(101)]] void watch_handlers() {
    atexit(come_to_handlers);
}

}  // namespace

bool is_unloading() {
    return are_all_of_one_library;
}

}  // namespace malloom::compiled
