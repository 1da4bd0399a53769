// DynamoRIO answers Valgrind's client requests, so that programs take it for Valgrind. Some then allocate in
// another way (GLib turns its slices into requests), and what is observed is not what runs.
#pragma once

#include <dr_api.h>

namespace malloom::dynamorio {

/// Removes DynamoRIO's answer to a client request from a block, so that the program gets its own default. For
/// every block that is built.
void remove_request_answers(void* context, instrlist_t* list);

/// Whether there is a client request in a module's code, so that its blocks need remove_request_answers().
bool has_client_requests(const module_data_t* module);

}  // namespace malloom::dynamorio
