// The line with which a program ends that frees what it must not.
#pragma once

#include "runtime/front/sites.h"
#include "runtime/heaps/threads/thread_heaps.h"

namespace malloom::front {

/// From now on the heaps name the call that frees what it must not, and pools the sites that had requested
/// it, before they end the program. The sites live as long as the process. Once.
void name_sites_on_misuse(Sites& sites);

/// The same for an object whose guard was found changed (guards.h), which says where it was requested, if
/// that is not changed as well.
[[noreturn]] void end_by_write_past(const void* object, uintptr_t place);

/// The same for heaps of an instance a thread (ThreadHeaps::OnMisuse), which know of no sites.
void end_by_thread_misuse(heaps::ThreadMisuse what, const void* object, bool was_deferred);

}  // namespace malloom::front
