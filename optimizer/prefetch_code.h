// Prefetch instructions in traces.
#pragma once

#include <dr_api.h>
#include <stdint.h>

#include "optimizer/prefetch_distance.h"
#include "optimizer/trace_loads.h"

namespace malloom::optimizer {

/// Where an indirect prefetch goes: after the load that produces the register, at a place where the flags are
/// dead and the registers still hold what they must. Null where there is none.
instr_t* indirect_place(const AddressGroup& group);

/// How far ahead of a reference to prefetch.
struct LookAhead {
    PrefetchDistance distance;         ///< not none; its sign is the direction of the references
    const PrefetchDistance* variable;  ///< unless null, what is read each time instead; it may be none
};

/// A prefetch of the address that a group of loads will have. It cannot fault, and changes neither flags nor
/// registers.
void insert_strided_prefetch(void* context, instrlist_t* trace, const AddressGroup& group, LookAhead ahead,
                             bool non_temporal);

/// For a group whose register the load `producing` produces: reads the word that this load will read, and
/// prefetches what the group will then reach. The word is read only in the page that the load itself has just
/// read from.
void insert_indirect_prefetch(void* context, instrlist_t* trace, const AddressGroup& group, instr_t* place,
                              LookAhead ahead, bool non_temporal);

/// The memory operand that a load fills its register from.
opnd_t loaded_operand(instr_t* load);

}  // namespace malloom::optimizer
