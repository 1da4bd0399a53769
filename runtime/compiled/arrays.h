// What the checks of compiled code need to know of its arrays of structures.
#pragma once

namespace malloom::compiled {

/// Whether the address is one of an element's that was in use at some time. Thread-safe.
bool is_in_arrays(const void* address);

}  // namespace malloom::compiled
