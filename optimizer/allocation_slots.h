// The words through which modules call the malloc family: slots of procedure linkage tables and of global
// offset tables, by their relocations. A word that merely holds malloc's address is none: the program may
// change it.
#pragma once

#include <dr_api.h>

namespace malloom::optimizer {

/// A slot and the module that it lies in. Until the loader has bound a slot, it points back into its module.
struct AllocationSlot {
    app_pc address;
    app_pc module_start;
    app_pc module_end;
};

bool init_allocation_slots();
void exit_allocation_slots();

/// Takes in a module's slots. From the module events; any thread.
void add_allocation_slots(const module_data_t* module);
void remove_allocation_slots(const module_data_t* module);

/// Whether there is a slot at the address; fills `slot` then. Any thread.
bool find_allocation_slot(app_pc address, AllocationSlot& slot);

}  // namespace malloom::optimizer
