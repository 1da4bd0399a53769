// Which blocks of code reach drmgr. It and drreg look at every register of every instruction, which costs a
// short program more than all that is recorded of it.
#pragma once

#include <dr_api.h>

namespace malloom::accesses {

/// Whether a block that is being built is to be instrumented: the question that is asked about each.
using BlockChoice = bool (*)(instrlist_t* list);

/// To be called before anything is registered with drmgr.
void instrument_only(BlockChoice wanted);

}  // namespace malloom::accesses
