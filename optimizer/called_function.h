// Which function a block's last instruction calls, if it is one of the malloc family's.
#pragma once

#include <dr_api.h>

#include "optimizer/run_time_library.h"

namespace malloom::optimizer {

struct CalledFunction {
    const AllocationFunction* function;  ///< libmalloom.so's; null: another function, or none that is known
    app_pc unbound_slot;                 ///< set where a slot of such a function waits for its first call
};

/// `last` is the block's last instruction of the program, or null. A call or a jump (where compilers make a
/// call the last thing that a function does): to the function, to its stub in a procedure linkage table, or a
/// call through a slot. Any thread.
CalledFunction called_function(instr_t* last);

/// What the slot holds now; `is_bound` tells whether the loader has set it.
const AllocationFunction* function_in_slot(app_pc slot, bool& is_bound);

}  // namespace malloom::optimizer
