// The code that is put into the program's blocks: one entry a load or store, made inline.
#pragma once

namespace malloom::accesses {

/// Registers the block events with drmgr and sets up drreg and drutil. False when one of them refuses.
bool init_instrumentation();
void exit_instrumentation();

}  // namespace malloom::accesses
