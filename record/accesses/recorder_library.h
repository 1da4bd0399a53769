// The recorder of requests, libmalloom_record.so, in the same process: its code, and the words that it
// exports.
#pragma once

#include <dr_api.h>
#include <stdint.h>

namespace malloom::accesses {

/// Looks whether a loaded module is the recorder, and sets its flag that says that the client is there. From
/// the module load event.
void find_recorder(const module_data_t* module);

/// From the module unload event.
void forget_recorder(const module_data_t* module);

/// Whether the code at `pc` is the recorder's, which is not instrumented.
bool in_recorder(app_pc pc);

/// Entry of malloom_record_beacon, or null while the recorder is not loaded.
app_pc beacon();

/// The process identity for chunk headers; 0 while the recorder has not begun.
uint64_t process_identity();

/// The last ticket that the recorder has given out.
uint64_t last_ticket();

}  // namespace malloom::accesses
