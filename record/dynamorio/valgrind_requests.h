// DynamoRIO answers valgrind's client requests, and so tells programs that they run under valgrind. Some then
// allocate otherwise (GLib turns its slices into requests), and what is recorded is not what runs.
#pragma once

#include <dr_api.h>

namespace malloom::accesses {

/// Leaves out of a block what answers a client request, so that the program gets its own default. For every
/// block that is built.
void leave_unanswered(void* context, instrlist_t* list);

/// Whether there is a client request in a module's code, so that its blocks must be looked at.
bool makes_requests(const module_data_t* module);

}  // namespace malloom::accesses
