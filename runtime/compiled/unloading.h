// Whether the shared library that this is linked into goes, and the process stays.
#pragma once

namespace malloom::compiled {

/// To be asked by destructors of a priority, which come last: true where dlclose has called them, false where
/// the process ends, which then keeps what other threads may be using.
bool is_unloading();

}  // namespace malloom::compiled
