// What operator new does when there is no memory, without linking a C++ library: it asks the one in the
// process.
#pragma once

namespace malloom::front {

/// Calls the program's new handler, if there is one: true means try again (the handler may instead throw).
/// Without a handler: false when `nothrow`, else throws std::bad_alloc through the process's C++ library, or
/// aborts with a line where none is loaded.
bool retry_after_new_handler(bool nothrow);

}  // namespace malloom::front
