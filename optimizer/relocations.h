// The words of a loaded ELF module that the loader binds to functions, and the functions' names.
#pragma once

#include <dr_api.h>

namespace malloom::optimizer {

/// Called for each such word with its address in this process and the name.
using BoundWord = void (*)(void* context, app_pc address, const char* name);

/// Reads the relocations of a procedure linkage table or of a global offset table. Everything is read
/// safely, because a module may lie about itself; what cannot be read is passed over.
void for_each_bound_word(const module_data_t* module, BoundWord found, void* context);

}  // namespace malloom::optimizer
