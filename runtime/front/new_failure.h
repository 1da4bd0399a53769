// What operator new does when there is no memory, without linking a C++ library: it asks the one in the
// process.
#pragma once

#include <stddef.h>

namespace malloom::front {

/// Calls the program's new handler, which may make room or throw. Where there is none, throws std::bad_alloc
/// through the process's C++ library, or aborts with a line where none is loaded.
void make_room_or_throw();

/// A form of operator new that does not throw; `alignment` is 0 for those without one.
struct NothrowForm {
    size_t alignment;
    bool is_array;
};
/// Finds these forms of the C++ library, for create_by_library.
void find_library_forms();
/// What the C++ library's own such form makes of the one that throws, by its name: it catches what that
/// throws. Null where no such library is loaded.
void* create_by_library(size_t bytes, NothrowForm form);

/// What the forms that do not throw give where there is no memory: an object, if a new handler makes room for
/// it, else null, also where the handler throws. `alignment` is 0 for the forms without one.
void* create_without_throwing(size_t bytes, size_t alignment);

}  // namespace malloom::front
