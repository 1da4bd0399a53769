// What is executed at a load in place of it: its prefetch, and the load.
#pragma once

#include "runtime/codegen/load_site.h"
#include "runtime/codegen/machine_code.h"

namespace malloom::codegen {

/// Appends the code for a site whose load was found, up to the jump back. It changes no register, flag or
/// memory that the load alone would not change, and faults only where the load would, on the page where it
/// would. False where that cannot be done.
bool append_prefetch(const LoadSite& site, MachineCode& code);

}  // namespace malloom::codegen
