// Which function a block's last instruction calls, if it is one of the malloc family's: directly, or through
// a slot. Slots are the words through which modules call functions: those of procedure linkage tables and of
// global offset tables, by their relocations. A word that merely holds malloc's address is none: the program
// may change it.
#pragma once

#include <dr_api.h>

#include "optimizer/run_time_library.h"

namespace malloom::optimizer {

bool init_allocation_slots();
void exit_allocation_slots();

/// Takes in a module's slots. From the module events; any thread.
void add_allocation_slots(const module_data_t* module);
void remove_allocation_slots(const module_data_t* module);

struct CalledFunction {
    const AllocationFunction* function;  ///< libmalloom.so's; null: another function, or none that is known
    app_pc unbound_slot;                 ///< set where a slot of such a function waits for its first call
};

/// `last` is the block's last instruction of the program, or null. A call or a jump (where compilers make a
/// call the last thing that a function does): to the function, to its stub in a procedure linkage table, or a
/// call through a slot. Any thread.
CalledFunction called_function(instr_t* last);

/// Whether the loader has set the slot at this address, or there is none there. Any thread.
bool is_bound(app_pc slot);

}  // namespace malloom::optimizer
